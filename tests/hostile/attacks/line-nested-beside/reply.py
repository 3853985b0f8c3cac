REPLY = b'{"move":"1","note":' + b"[" * 700 + b"]" * 700 + b"}\n"
