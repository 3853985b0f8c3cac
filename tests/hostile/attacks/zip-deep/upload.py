from tests.hostile.archives import BOT, pack


def build():
    return pack({"bot.py": BOT, "a/" * 90 + "b": b""})
