import ctypes

from means import call


def attack():
    return call(222, 1, 0, ctypes.create_string_buffer(8))
