import ctypes
import os
import struct

from means import call


def attack():
    buffer = ctypes.create_string_buffer(8)
    piece = struct.pack("PN", ctypes.addressof(buffer), 8)
    return call(310, os.getpid(), piece, 1, piece, 1, 0)
