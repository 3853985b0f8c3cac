import gzip

from tests.hostile.archives import BOT


def build():
    return gzip.compress(BOT)
