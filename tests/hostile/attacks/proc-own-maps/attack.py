def attack():
    return open("/proc/self/maps").readline()
