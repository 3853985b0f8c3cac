import struct

import targets
from means import call


def attack():
    how = struct.pack("QQQ", 0, 0, 0)
    return call(437, -100, targets.DATABASE.encode(), how, len(how))
