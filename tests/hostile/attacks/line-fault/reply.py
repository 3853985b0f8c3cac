REPLY = b'{"ending":"crashed","at_fault":[1]}\n'
