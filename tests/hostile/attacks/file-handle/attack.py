import ctypes
import struct

import targets
from means import call


def attack():
    handle, mount = ctypes.create_string_buffer(struct.pack("Ii", 128, 0), 136), ctypes.c_int()
    return call(303, -100, targets.DATABASE.encode(), handle, ctypes.byref(mount), 0)
