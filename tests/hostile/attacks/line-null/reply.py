REPLY = b'{"move":null}\n'
