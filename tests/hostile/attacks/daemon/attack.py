import os
import time


def attack():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(0.3)
        os._exit(0)
