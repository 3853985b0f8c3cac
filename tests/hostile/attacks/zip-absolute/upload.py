from tests.hostile.archives import BOT, pack


def build():
    return pack({"bot.py": BOT, "/etc/cron.d/evil": b"x"})
