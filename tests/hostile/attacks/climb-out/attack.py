def attack():
    return open("../" * 30 + "etc/hostname").read()
