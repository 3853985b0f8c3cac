import os
import signal


def agent(observation, configuration):
    try:
        os.kill(os.getpid(), signal.SIGSTOP)
    except PermissionError as error:
        print("stopped:", error)
    return observation["legal"][0]
