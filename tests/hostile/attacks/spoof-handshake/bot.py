import os

os.write(4, b"loaded\n")


def agent(observation, configuration):
    return observation["legal"][0]
