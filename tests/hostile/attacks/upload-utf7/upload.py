from tests.hostile.archives import BOT


def build():
    return b"# coding: utf-7\n" + BOT
