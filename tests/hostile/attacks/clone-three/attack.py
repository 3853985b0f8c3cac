import os
import struct

from means import call


def attack():
    arguments = struct.pack("8Q", 0, 0, 0, 0, 17, 0, 0, 0)
    if (pid := call(435, arguments, len(arguments))) == 0:
        os._exit(0)
    return pid
