REPLY = b'{"move":"\xc0\xb1"}\n'
