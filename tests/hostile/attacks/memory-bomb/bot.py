def agent(observation, configuration):
    keep = []
    while True:
        keep.append(bytes(1 << 20))
