def agent(observation, configuration):
    return bytes(1 << 40)
