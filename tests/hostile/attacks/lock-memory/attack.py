import ctypes

from means import call


def attack():
    buffer = ctypes.create_string_buffer(4096)
    return call(149, ctypes.addressof(buffer), 16)
