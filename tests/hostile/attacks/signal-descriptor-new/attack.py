import ctypes

from means import call


def attack():
    return call(289, -1, ctypes.create_string_buffer(8), 8, 0)
