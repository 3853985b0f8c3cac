import numpy


def agent(observation, configuration):
    return numpy.random.choice(observation["legal"])
