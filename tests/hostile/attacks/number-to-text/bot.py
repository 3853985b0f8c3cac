def agent(observation, configuration):
    return str(1 << 10**6)
