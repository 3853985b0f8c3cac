import sys

sys.stdin.readline()
