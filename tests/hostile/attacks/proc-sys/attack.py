def attack():
    return open("/proc/sys/kernel/hostname").read()
