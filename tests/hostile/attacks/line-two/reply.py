REPLY = b'{"move":"1"}\n{"move":"1"}\n'
