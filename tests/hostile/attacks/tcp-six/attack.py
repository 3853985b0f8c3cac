import socket


def attack():
    return socket.socket(socket.AF_INET6, socket.SOCK_STREAM)
