def agent(observation, configuration):
    yield observation["legal"][0]
