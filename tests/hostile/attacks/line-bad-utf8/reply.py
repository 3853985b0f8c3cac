REPLY = b'{"move":"\xff\xfe"}\n'
