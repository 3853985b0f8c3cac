from tests.hostile.archives import BOT, pack


def build():
    return pack({"bot.py": BOT, "socket": b""}, modes={"socket": 0o140777})
