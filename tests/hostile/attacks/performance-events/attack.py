import ctypes
import struct

from means import call


def attack():
    attributes = ctypes.create_string_buffer(struct.pack("IIQ", 1, 128, 0), 128)
    return call(298, attributes, 0, -1, -1, 0)
