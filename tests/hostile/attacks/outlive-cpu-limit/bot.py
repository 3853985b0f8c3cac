import signal

signal.signal(signal.SIGXCPU, lambda number, frame: None)


def agent(observation, configuration):
    while True:
        pass
