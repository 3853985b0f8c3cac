import socket


def attack():
    return socket.socket(40, socket.SOCK_STREAM)
