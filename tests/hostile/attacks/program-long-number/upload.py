def build():
    return b"(program tanks (tree ahead " + b"9" * 100_000 + b") (tree turn 1) (tree gun 1))"
