REPLY = '{"move":"1"}\n'.encode("utf-16")
