def agent(observation, configuration):
    print("honest")
    return observation["legal"][0]
