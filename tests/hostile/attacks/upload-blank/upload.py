def build():
    return b" \n\t\n" * 100
