REPLY = b'{"move":"1","\\u006dove":"9"}\n'
