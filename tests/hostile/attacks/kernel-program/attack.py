import ctypes

from means import call


def attack():
    return call(321, 0, ctypes.create_string_buffer(72), 72)
