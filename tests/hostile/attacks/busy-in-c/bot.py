def agent(observation, configuration):
    return sum(range(10**15))
