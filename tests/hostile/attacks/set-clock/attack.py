import time


def attack():
    time.clock_settime(time.CLOCK_REALTIME, 0)
