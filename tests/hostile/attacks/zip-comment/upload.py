from tests.hostile.archives import BOT, pack


def build():
    return pack({"bot.py": BOT}, comment=b"PK\5\6" * 16_000)
