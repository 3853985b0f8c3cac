def attack():
    return open("/proc/self/mem", "r+b", 0)
