from tests.hostile.archives import BOT, pack


def build():
    return pack({"bot.py": b"import botkit, jail\n" + BOT, "botkit.py": b"1/0", "jail.py": b""})
