import os


def agent(observation, configuration):
    os.close(3)
    return observation["legal"][0]
