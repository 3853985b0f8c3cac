from tests.hostile.archives import pack


def build():
    return pack({"bot.py/": b""})
