def build():
    return b"(program tanks (tree ahead " + b"(Neg " * 90_000 + b"1" + b")" * 90_000 + b"))"
