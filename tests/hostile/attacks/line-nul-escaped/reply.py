REPLY = b'{"move":"1\\u0000"}\n'
