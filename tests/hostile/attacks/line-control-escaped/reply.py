REPLY = b'{"move":"\\u001b[2J\\u0007"}\n'
