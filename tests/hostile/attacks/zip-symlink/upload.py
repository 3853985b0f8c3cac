from tests.hostile.archives import BOT, pack


def build():
    return pack({"bot.py": BOT, "link": b"/etc/passwd"}, modes={"link": 0o120777})
