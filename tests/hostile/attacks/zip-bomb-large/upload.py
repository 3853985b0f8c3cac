from tests.hostile.archives import BOT, pack


def build():
    return pack({"bot.py": BOT, "zeros": bytes(64 << 20)})
