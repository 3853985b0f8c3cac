import sys

for column in range(1, 8):
    print('{"move":"%d"}' % column)
sys.stdout.flush()
sys.stdin.read()
