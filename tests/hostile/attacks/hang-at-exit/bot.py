import atexit
import sys
import threading
import time


class Last:
    def __del__(self):
        time.sleep(3600)


keep = Last()
atexit.register(time.sleep, 3600)


def agent(observation, configuration):
    sys.exit(3)
