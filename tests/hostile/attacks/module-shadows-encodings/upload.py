from tests.hostile.archives import BOT, pack


def build():
    return pack({"bot.py": b"'a'.encode('idna')\n" + BOT, "encodings/__init__.py": b"1/0"})
