def build():
    return b"\0asm"
