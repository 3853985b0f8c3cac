import os


def agent(observation, configuration):
    while True:
        os.write(2, b"x" * 65536)
