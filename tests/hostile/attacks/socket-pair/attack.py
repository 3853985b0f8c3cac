import socket


def attack():
    return socket.socketpair()
