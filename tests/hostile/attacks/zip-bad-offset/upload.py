import struct

from tests.hostile.archives import BOT, pack


def build():
    data = bytearray(pack({"bot.py": BOT}))
    struct.pack_into("<I", data, data.rindex(b"PK\1\2") + 42, 0xFFFFFFF0)
    return bytes(data)
