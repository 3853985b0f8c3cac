REPLY = b'"1"\n'
