import ctypes

from means import call


def attack():
    word = ctypes.create_string_buffer(8)
    return call(202, word, 6 | 128, 0, 0, 0, 0)
