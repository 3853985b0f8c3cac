"""Stays within every move, but not within the match."""

import time


def agent(observation, configuration):
    until = time.process_time() + 0.2
    while time.process_time() < until:
        pass
    return observation["legal"][0]
