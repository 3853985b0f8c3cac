def build():
    return b"(program tanks \xff\xfe"
