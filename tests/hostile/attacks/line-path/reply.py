REPLY = b'{"move":"../../../../etc/passwd"}\n'
