import json
import sys
import time

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "move":
        time.sleep(0.8)
        print(json.dumps({"move": message["observation"]["legal"][0]}), flush=True)
