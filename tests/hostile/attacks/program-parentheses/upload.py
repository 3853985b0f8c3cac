def build():
    return b"(program tanks " + b"(" * 500_000
