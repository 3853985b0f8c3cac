def agent(observation, configuration):
    return agent(observation, configuration)
