REPLY = b'{"move":"1"} # a comment\n'
