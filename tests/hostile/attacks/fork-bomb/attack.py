import os


def attack():
    children = []
    for _ in range(20):
        if (pid := os.fork()) == 0:
            os._exit(0)
        children.append(pid)
    for pid in children:
        os.waitpid(pid, 0)
    return len(children)
