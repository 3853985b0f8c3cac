REPLY = b'{"move":1e999999}\n'
