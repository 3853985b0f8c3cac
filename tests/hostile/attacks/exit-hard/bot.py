import os


def agent(observation, configuration):
    os._exit(0)
