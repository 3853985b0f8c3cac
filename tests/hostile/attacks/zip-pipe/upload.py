from tests.hostile.archives import BOT, pack


def build():
    return pack({"bot.py": BOT, "pipe": b""}, modes={"pipe": 0o010666})
