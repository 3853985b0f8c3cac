from tests.hostile.archives import BOT, pack


def build():
    return pack({"bot.py": BOT, "XXXX": b""}).replace(b"XXXX", b"\xe4\xf6\xfc\xdf")
