from tests.hostile.archives import BOT, pack


def build():
    return pack({"bot.py": BOT, "gpj.\u202eyp.bot": b""})
