from tests.hostile.archives import BOT, pack


def build():
    return pack({"bot.py": BOT, "__main__.py": b"1/0", "__init__.py": b"1/0", "bot/__init__.py": b"1/0"})
