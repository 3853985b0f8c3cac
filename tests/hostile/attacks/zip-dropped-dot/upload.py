from tests.hostile.archives import BOT, pack


def build():
    return pack({"bot.py": BOT, "bot.py.": b"x"})
