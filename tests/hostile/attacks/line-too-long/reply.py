REPLY = b'{"move":"' + b"x" * 65_525 + b'"}\n'
