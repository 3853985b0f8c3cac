import signal

wakes = 0


def wake(number, frame):
    global wakes
    wakes += 1


signal.signal(signal.SIGALRM, wake)
signal.setitimer(signal.ITIMER_REAL, 0.0001, 0.0001)


def agent(observation, configuration):
    print("stopped: between turns")
    return observation["legal"][0]
