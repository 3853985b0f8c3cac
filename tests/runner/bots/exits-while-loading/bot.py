import sys


def agent(observation, configuration):
    return 1


sys.exit(3)
