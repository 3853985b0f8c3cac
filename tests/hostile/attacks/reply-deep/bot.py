def agent(observation, configuration):
    value = []
    for _ in range(100_000):
        value = [value]
    return value
