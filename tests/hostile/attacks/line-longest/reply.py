REPLY = b'{"move":"' + b"x" * 65_524 + b'"}\n'
