"""Closes its wire without ending. An agent's wire is descriptor 4."""

import os
import time


def agent(observation, configuration):
    os.close(4)
    time.sleep(3600)
