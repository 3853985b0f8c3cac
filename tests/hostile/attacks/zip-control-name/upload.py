from tests.hostile.archives import BOT, pack


def build():
    return pack({"bot.py": BOT, "a\n\x1b[2J": b""})
