def build():
    return b"#" * ((1 << 20) + 1)
