import os
import sys


def agent(observation, configuration):
    sys.stderr.write("bot.py line 1: all is well\r\x1b[2J\x00\u2028")
    sys.stderr.flush()
    os._exit(82)
