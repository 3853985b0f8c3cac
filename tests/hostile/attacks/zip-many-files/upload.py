from tests.hostile.archives import BOT, pack


def build():
    return pack({"bot.py": BOT} | {f"f{n}": b"" for n in range(5000)})
