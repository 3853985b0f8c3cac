def agent(observation, configuration):
    return str(7 ** (10**8) % 10)
