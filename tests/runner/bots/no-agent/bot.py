def player(observation, configuration):
    return observation["legal"][0]
