REPLY = b'\xef\xbb\xbf{"move":"1"}\n'
