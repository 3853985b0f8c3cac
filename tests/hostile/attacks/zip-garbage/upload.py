def build():
    return b"PK\x03\x04" + bytes(range(256)) * 100
