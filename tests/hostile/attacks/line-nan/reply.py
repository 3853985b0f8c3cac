REPLY = b'{"move":NaN}\n'
