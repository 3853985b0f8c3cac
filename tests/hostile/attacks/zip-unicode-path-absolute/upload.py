from tests.hostile.archives import BOT, Entry, assemble, unicode_path


def build():
    return assemble(Entry(b"bot.py", BOT), Entry(b"x", extra=unicode_path(b"x", b"/etc/cron.d/evil")))
