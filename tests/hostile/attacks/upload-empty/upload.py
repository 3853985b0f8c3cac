def build():
    return b""
