from tests.hostile.archives import BOT


def build():
    return BOT.decode().encode("utf-16")
