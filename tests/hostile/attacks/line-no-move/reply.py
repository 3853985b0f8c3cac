REPLY = b'{"mvoe":"1"}\n'
