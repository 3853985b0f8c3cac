"""Speaks the protocol itself."""

import json
import sys

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "move":
        print(json.dumps({"move": message["observation"]["legal"][0]}), flush=True)
