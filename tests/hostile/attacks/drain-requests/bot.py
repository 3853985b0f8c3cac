import os


def agent(observation, configuration):
    os.read(3, 1 << 16)
