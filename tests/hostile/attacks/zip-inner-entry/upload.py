from tests.hostile.archives import BOT, pack


def build():
    return pack({"bot/bot.py": BOT})
