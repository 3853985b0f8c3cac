REPLY = b"GET / HTTP/1.0\n"
