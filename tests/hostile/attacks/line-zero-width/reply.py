REPLY = '{"move":"\u200b1\u202e"}\n'.encode()
