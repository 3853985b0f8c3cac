from tests.hostile.archives import BOT, pack


def build():
    return pack({"bot.py": BOT, "evil.pth": b"x"})
