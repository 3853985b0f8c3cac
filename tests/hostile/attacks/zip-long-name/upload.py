from tests.hostile.archives import BOT, pack


def build():
    return pack({"bot.py": BOT, "x" * 60_000: b""})
