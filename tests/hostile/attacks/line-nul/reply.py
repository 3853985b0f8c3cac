REPLY = b'{"move":"1\x00"}\n'
