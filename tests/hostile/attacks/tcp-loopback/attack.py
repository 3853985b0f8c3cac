import socket

import targets


def attack():
    return socket.create_connection(("127.0.0.1", targets.PORT), 2)
