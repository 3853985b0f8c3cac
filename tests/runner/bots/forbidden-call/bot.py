"""Calls ptrace, which nobody does by accident."""

import ctypes
import os


def agent(observation, configuration):
    number = 101 if os.uname().machine == "x86_64" else 117
    return ctypes.CDLL(None).syscall(number, 0, 0, 0, 0)
