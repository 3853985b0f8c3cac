import socket


def attack():
    return socket.socket(socket.AF_INET, socket.SOCK_STREAM)
