def agent(observation, configuration):
    return "\0"
