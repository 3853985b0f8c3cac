import os

os.write(4, b"jailed\nscript\n")


def agent(observation, configuration):
    return observation["legal"][0]
