from tests.hostile.archives import BOT, pack


def build():
    mark = b"print('BREACH: it ran')\n"
    return pack({"bot.py": BOT, "sitecustomize.py": mark, "usercustomize.py": mark})
