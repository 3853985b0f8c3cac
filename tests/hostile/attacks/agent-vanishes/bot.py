def agent(observation, configuration):
    return "1"


del agent
