import sys

line = sys.stdin.readline()
raise ValueError(line[:20])
