def agent(observation, configuration):
    return {"move": observation["legal"][0]}
