def build():
    return b"\0asm\1\0\0\0\2\4\1\1\xff\0"
