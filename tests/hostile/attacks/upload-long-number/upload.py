def build():
    return b"agent = " + b"9" * 1_000_000
