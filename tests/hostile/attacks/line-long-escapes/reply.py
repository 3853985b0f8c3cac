REPLY = b'{"move":"' + b"\\u0041" * 10_000 + b'"}\n'
