def build():
    return b"(program tanks (tree ahead nan) (tree turn 1e999) (tree gun -inf))"
