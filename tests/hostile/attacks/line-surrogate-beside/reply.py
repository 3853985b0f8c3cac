REPLY = b'{"move":"1","note":"\\ud800"}\n'
