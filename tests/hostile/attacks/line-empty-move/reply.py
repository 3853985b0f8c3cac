REPLY = b'{"move":""}\n'
