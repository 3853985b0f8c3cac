REPLY = b'{"move":"\xed\xa0\x80"}\n'
