from tests.hostile.archives import BOT, Entry, assemble, unicode_path


def build():
    other = Entry(b"x.py", b"evil", extra=unicode_path(b"x.py", b"bot.py"))
    return assemble(Entry(b"bot.py", BOT), other)
