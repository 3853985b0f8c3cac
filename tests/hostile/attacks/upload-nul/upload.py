from tests.hostile.archives import BOT


def build():
    return BOT + b"\0evil"
