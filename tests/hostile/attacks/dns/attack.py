import socket


def attack():
    return socket.getaddrinfo("loot.example.com", 80)
