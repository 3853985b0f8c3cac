REPLY = b'{"move":"1","move":"9"}\n'
