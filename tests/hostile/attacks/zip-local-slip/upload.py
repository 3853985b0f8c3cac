from tests.hostile.archives import BOT, Entry, assemble


def build():
    return assemble(Entry(b"bot.py", BOT), Entry(b"x", local_name=b"../../evil.py"))
