from tests.hostile.archives import BOT, pack


def build():
    return pack({"bot.py": BOT, "\U0001f916.py": b"x"})
