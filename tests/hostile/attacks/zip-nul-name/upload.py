from tests.hostile.archives import BOT, pack


def build():
    return pack({"bot.py": BOT, "evil.pyX.txt": b""}).replace(b"evil.pyX", b"evil.py\0")
