from tests.hostile.archives import BOT, pack


def build():
    return pack({"bot.py": BOT, "\u00e9\u00e9": b""}).replace("\u00e9\u00e9".encode(), b"\xff\xff\xff\xff")
