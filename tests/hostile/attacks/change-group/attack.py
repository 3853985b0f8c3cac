import os


def attack():
    os.setresgid(os.getgid(), os.getgid(), os.getgid())
