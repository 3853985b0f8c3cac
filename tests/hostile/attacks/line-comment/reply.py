REPLY = b'{/* hi */"move":"1"}\n'
