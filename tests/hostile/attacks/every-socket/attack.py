import itertools
import socket


def attack():
    for family, kind in itertools.product(range(64), (1, 2, 3, 5)):
        try:
            return socket.socket(family, kind)
        except OSError:
            pass
    raise OSError("none")
