import os

from means import call


def attack():
    fd = os.memfd_create("program")
    os.write(fd, open("/bin/true", "rb").read())
    return call(322, fd, b"", 0, 0, 0x1000)
