REPLY = '{"move":"1"}\u2028{"move":"2"}\n'.encode()
