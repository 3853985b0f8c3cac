"""Starts as many threads as it can, and goes on playing."""

import threading

threads = []
try:
    while len(threads) < 1000:
        threads.append(threading.Thread(target=threading.Event().wait, daemon=True))
        threads[-1].start()
except RuntimeError:
    print("stopped at", len(threads))


def agent(observation, configuration):
    return observation["legal"][0]
