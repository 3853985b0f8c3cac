from tests.hostile.archives import BOT, pack


def build():
    return pack({"bot.py": BOT, "python311._pth": b"x"})
