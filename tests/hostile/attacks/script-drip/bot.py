import sys
import time

sys.stdin.readline()
while True:
    sys.stdout.write("x")
    sys.stdout.flush()
    time.sleep(0.05)
