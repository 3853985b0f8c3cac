import struct

from tests.hostile.archives import BOT, pack


def build():
    data = pack({"bot.py": BOT, "zeros": bytes(64 << 20)})
    return data.replace(struct.pack("<I", 64 << 20), struct.pack("<I", 100))
