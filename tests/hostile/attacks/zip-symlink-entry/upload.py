from tests.hostile.archives import pack


def build():
    return pack({"bot.py": b"/etc/passwd"}, modes={"bot.py": 0o120777})
