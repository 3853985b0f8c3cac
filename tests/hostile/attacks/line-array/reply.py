REPLY = b'["move","1"]\n'
