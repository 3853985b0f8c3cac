def build():
    return b"agent = " + b" + ".join([b"(1 << 100000) * (1 << 100000)"] * 10_000)
