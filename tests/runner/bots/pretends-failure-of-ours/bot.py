"""Uses the exit status that the jail has for failures of ours."""

import os


def agent(observation, configuration):
    os.write(4, b"")
    os._exit(97)
