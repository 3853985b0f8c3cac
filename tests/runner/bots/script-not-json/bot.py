import sys

sys.stdin.readline()
print("hello there", flush=True)
sys.stdin.read()
