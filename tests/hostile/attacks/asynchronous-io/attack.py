import ctypes

from means import call


def attack():
    return call(206, 8, ctypes.create_string_buffer(8))
