REPLY = b"jailed\n"
