def agent(observation, configuration):
    return "1"
