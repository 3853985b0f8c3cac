def agent(observation, configuration):
    return "the moon"
