def build():
    return b"(program tanks (tree value 1))"
