REPLY = b'{"move":"1","note":{"a":1,"a":2}}\n'
