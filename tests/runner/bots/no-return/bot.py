def agent(observation, configuration):
    move = observation['legal'][0]
