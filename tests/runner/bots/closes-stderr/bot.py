"""Cuts itself off from its log."""

import os


def agent(observation, configuration):
    os.close(2) if observation["turn"] < 6 else None
    return observation["legal"][0]
