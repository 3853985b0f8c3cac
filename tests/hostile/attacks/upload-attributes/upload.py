def build():
    return b"agent = x" + b".x" * 500_000
