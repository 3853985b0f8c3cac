REPLY = b'{"move":"1","note":1e999}\n'
