"""A script that answers its first request with the bytes of `reply.py`."""

import sys

from reply import REPLY

sys.stdin.readline()
sys.stdin.readline()
sys.stdout.buffer.write(REPLY)
sys.stdout.buffer.flush()
sys.stdin.read()
