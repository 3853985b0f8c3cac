import ctypes

from means import call


def attack():
    return call(154, 0, ctypes.create_string_buffer(16), 16)
