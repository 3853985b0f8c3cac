REPLY = b"   \t \n"
