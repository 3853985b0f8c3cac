import struct

from tests.hostile.archives import BOT, pack


def build():
    data = bytearray(pack({"bot.py": BOT}))
    struct.pack_into("<H", data, data.rindex(b"PK\1\2") + 30, 0xFFFF)
    return bytes(data)
