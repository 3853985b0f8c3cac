from tests.hostile.archives import BOT, pack


def build():
    return pack({"main.py": BOT})
