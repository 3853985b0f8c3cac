REPLY = bytes(1000) + b"\n"
