import fcntl


def attack():
    return fcntl.ioctl(2, 0x5402, bytes(60))
