import ctypes

from means import call


def attack():
    return call(159, ctypes.create_string_buffer(208))
