def agent(observation, configuration):
    return chr(0xFF10 + int(observation["legal"][0]))
