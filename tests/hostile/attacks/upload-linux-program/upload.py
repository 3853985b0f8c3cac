def build():
    return b"\x7fELF" + bytes(100)
