from tests.hostile.archives import BOT


def build():
    return b"# coding: ../../evil\n" + BOT
