def build():
    return b"\0asm\1\0\0\0" + b"\0\0" * 500_000
