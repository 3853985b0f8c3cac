import os


def agent(observation, configuration):
    os.closerange(0, 64)
    while True:
        pass
