REPLY = b'\n{"move":"1"}\n'
