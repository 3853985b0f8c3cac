from tests.hostile.archives import BOT


def build():
    return b"".join(b"def f%d(): return\n" % n for n in range(40_000)) + BOT
