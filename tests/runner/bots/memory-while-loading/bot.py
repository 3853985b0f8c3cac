agent = [bytes(1 << 30)]
