from tests.hostile.archives import BOT, pack


def build():
    return pack({"bot.py": BOT, "\u00e9.py": b"", "e\u0301.py": b""})
