from tests.hostile.archives import BOT, pack


def build():
    inner = BOT
    for depth in range(8):
        inner = pack({"bot.py": BOT, f"inner{depth}.zip": inner})
    return inner
