import json
import sys

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "move":
        reply = json.dumps({"move": message["observation"]["legal"][0]}) + "\n"
        sys.stdout.write(reply + reply)
        sys.stdout.flush()
