REPLY = b'{"move":-Infinity}\n'
