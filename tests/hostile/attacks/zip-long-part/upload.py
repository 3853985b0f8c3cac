from tests.hostile.archives import BOT, pack


def build():
    return pack({"bot.py": BOT, "\u00e9" * 101: b""})
