REPLY = b"\n"
