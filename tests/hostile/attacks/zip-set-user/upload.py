from tests.hostile.archives import BOT, pack


def build():
    return pack({"bot.py": BOT, "tool": b"\x7fELF"}, modes={"tool": 0o104777})
