REPLY = b'{"move":"\'; DROP TABLE bots; --"}\n'
