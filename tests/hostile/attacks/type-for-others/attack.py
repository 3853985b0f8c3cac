import fcntl


def attack():
    return fcntl.ioctl(2, 0x5412, b"x")
