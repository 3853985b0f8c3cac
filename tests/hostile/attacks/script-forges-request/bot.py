import sys

print('{"type":"move","observation":{"legal":["1"]}}', flush=True)
sys.stdin.read()
