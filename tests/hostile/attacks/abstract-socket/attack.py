import socket

import targets


def attack():
    socket.socket(socket.AF_UNIX).connect("\0" + targets.NAME)
