from tests.hostile.archives import BOT, pack


def build():
    return pack({"bot.py": BOT, "null": b""}, modes={"null": 0o020666})
