REPLY = b'{"move":"1","note":"\xff"}\n'
