def attack():
    return open("/proc/self/exe", "rb").read(4)
