def agent(observation):
    return observation["legal"][-1]
