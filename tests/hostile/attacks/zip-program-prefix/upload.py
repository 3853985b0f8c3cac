from tests.hostile.archives import BOT, pack


def build():
    return b"MZ" + bytes(100) + pack({"bot.py": BOT})
