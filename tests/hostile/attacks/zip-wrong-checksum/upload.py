import zipfile

from tests.hostile.archives import BOT, pack


def build():
    return pack({"bot.py": BOT}, method=zipfile.ZIP_STORED).replace(BOT, BOT.swapcase(), 1)
