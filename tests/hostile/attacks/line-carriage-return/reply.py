REPLY = b'{"move":"9"}\r\n'
