import struct

from means import call


def attack():
    header, data = struct.pack("Ii", 0x20080522, 0), struct.pack("6I", *[0xFFFFFFFF] * 6)
    return call(126, header, data)
