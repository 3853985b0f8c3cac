import sys

sys.stdin.readline()
print('{"mvoe": "1"}', flush=True)
sys.stdin.read()
