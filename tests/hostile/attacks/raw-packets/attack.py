import socket


def attack():
    return socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 3)
