from tests.hostile.archives import BOT, pack


def build():
    return pack({"bot.py": BOT} | {f"f{n}": bytes(250_000) for n in range(100)})
