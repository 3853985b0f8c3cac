def agent(observation, configuration):
    return table[0]


table = {}["missing"]
