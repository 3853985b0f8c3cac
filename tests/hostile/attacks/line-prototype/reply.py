REPLY = b'{"__proto__":{"move":"1"},"__class__":"x"}\n'
