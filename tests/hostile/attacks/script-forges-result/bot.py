import sys

print('{"type":"result","scores":[1.0,0.0],"ending":"completed"}', flush=True)
sys.stdin.read()
