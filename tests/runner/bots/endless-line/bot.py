def agent(observation, configuration):
    return "x" * 70_000
