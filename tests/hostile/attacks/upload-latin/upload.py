from tests.hostile.archives import BOT


def build():
    return b"# \xe4\n" + BOT
