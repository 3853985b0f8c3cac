def build():
    return b"(program connect-four (tree ahead 1))"
