import os


def agent(observation, configuration):
    os.write(3, b"x")
