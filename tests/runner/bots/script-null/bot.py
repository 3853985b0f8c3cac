import sys

sys.stdin.readline()
print('{"move": null}', flush=True)
sys.stdin.read()
