REPLY = b'{"move":"1"}{"move":"2"}\n'
