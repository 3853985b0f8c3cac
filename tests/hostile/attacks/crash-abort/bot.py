import os


def agent(observation, configuration):
    os.abort()
