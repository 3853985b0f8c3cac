def build():
    return b"\xa7\r\r\n" + bytes(100)
