from tests.hostile.archives import BOT, pack


def build():
    cache = b"\xa7\r\r\n" + bytes(12) + b"\xe3" + bytes(range(256))
    return pack({"bot.py": b"import lib\n" + BOT, "lib.py": b"", "__pycache__/lib.cpython-311.pyc": cache})
