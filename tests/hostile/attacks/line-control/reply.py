REPLY = b'{"move":"\x1b[2J\x07"}\n'
