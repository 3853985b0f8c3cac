from tests.hostile.archives import BOT, pack


def build():
    return pack({"bot.py": BOT, "d": b"/tmp", "d/evil.py": b"x"}, modes={"d": 0o120777})
