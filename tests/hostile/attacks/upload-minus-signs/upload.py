def build():
    return b"agent = " + b"-" * 500_000 + b"1"
