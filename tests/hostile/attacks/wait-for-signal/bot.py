import signal


def agent(observation, configuration):
    signal.pause()
