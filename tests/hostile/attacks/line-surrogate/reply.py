REPLY = b'{"move":"\\ud800"}\n'
