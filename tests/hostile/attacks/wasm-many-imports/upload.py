def build():
    return b"\0asm\1\0\0\0\2\5\xff\xff\xff\xff\x0f"
