from tests.hostile.archives import BOT, pack


def build():
    return pack({"bot.py": b"import os, json, traceback\n" + BOT, "os.py": b"", "json.py": b"raise 1", "traceback.py": b""})
