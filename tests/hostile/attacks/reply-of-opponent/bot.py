def agent(observation, configuration):
    return "8"
