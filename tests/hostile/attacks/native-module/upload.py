from tests.hostile.archives import BOT, pack


def build():
    return pack({"bot.py": b"import lib\n" + BOT, "lib.so": b"\x7fELF\x02\x01\x01" + b"\xff" * 200})
