def agent(observation, configuration):
    value = []
    value.append(value)
    return value
