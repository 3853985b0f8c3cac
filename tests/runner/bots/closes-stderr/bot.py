"""Closes its log."""

import os

cut_off = False


def agent(observation, configuration):
    global cut_off
    if not cut_off:
        os.close(2)
        cut_off = True
    return observation["legal"][0]
