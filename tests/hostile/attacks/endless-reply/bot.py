def agent(observation, configuration):
    return "x" * (1 << 22)
