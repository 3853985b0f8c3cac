from tests.hostile.archives import BOT, pack


def build():
    data = bytearray(pack({"bot.py": BOT}))
    data[6] |= 1
    data[data.rindex(b"PK\1\2") + 8] |= 1
    return bytes(data)
