def build():
    return b"agent = " + b"(" * 1_000_000
