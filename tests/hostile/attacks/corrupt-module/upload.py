from tests.hostile.archives import BOT, pack


def build():
    return pack({"bot.py": b"import lib\n" + BOT, "lib.pyc": b"\xa7\r\r\n" + bytes(12) + b"\xe3" + b"\xff" * 200})
