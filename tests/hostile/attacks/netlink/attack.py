import socket


def attack():
    return socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)
