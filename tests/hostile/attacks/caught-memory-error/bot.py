def agent(observation, configuration):
    keep = []
    try:
        while True:
            keep.append(bytes(1 << 20))
    except MemoryError:
        print("stopped: after", len(keep), "MiB")
        if len(keep) > 256:
            print("BREACH:", len(keep))
    keep.clear()
    return observation["legal"][0]
