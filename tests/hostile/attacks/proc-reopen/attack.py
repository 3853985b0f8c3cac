def attack():
    return open("/proc/self/fd/3", "r+b", 0)
