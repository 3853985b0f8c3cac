REPLY = b'{"move":' + b"9" * 60_000 + b"}\n"
