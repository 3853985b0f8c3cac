REPLY = b'{"move":"1","note":' + b"9" * 5_000 + b"}\n"
