def build():
    return b"\0asm\1\0\0\0\2" + b"\xff" * 1000
