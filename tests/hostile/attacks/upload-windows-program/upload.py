def build():
    return b"MZ" + bytes(100)
