def agent(observation, configuration):
    return f" +0_{observation['legal'][0]}\n"
