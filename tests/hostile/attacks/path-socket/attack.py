import socket

import targets


def attack():
    socket.socket(socket.AF_UNIX).connect(f"{targets.SHARED}/socket")
