import ctypes

from means import call


def attack():
    return call(425, 4, ctypes.create_string_buffer(120))
