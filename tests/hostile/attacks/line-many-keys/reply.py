REPLY = b'{%s"move":"9"}\n' % b"".join(b'"%d":0,' % n for n in range(6000))
