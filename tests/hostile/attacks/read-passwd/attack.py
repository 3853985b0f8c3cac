def attack():
    return open("/etc/passwd").readline()
