def build():
    tree = b"(Add 1 1)"
    for _ in range(14):
        tree = b"(Add " + tree + b" " + tree + b")"
    return b"(program tanks (tree ahead " + tree + b") (tree turn 1) (tree gun 1))"
