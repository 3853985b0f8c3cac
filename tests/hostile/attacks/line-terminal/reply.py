REPLY = b"\x1b]0;owned\x07\x1b[c\n"
