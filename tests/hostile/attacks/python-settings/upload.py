from tests.hostile.archives import BOT, pack


def build():
    return pack({"bot.py": BOT, "pyvenv.cfg": b"home = /tmp", "pybuilddir.txt": b"/tmp"})
