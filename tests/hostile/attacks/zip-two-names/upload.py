from tests.hostile.archives import BOT, pack


def build():
    return pack({"bot.py": BOT, "good.py": b""}).replace(b"good.py", b"evil.py", 1)
