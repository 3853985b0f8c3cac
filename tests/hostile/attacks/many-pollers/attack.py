import select


def attack():
    return [select.epoll() for _ in range(400)]
