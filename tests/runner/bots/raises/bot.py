def agent(observation, configuration):
    return observation["legal"][1_000_000]
