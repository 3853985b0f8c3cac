def build():
    return b"\0asm\x0d\0\1\0"
