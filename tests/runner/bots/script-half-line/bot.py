import sys
import time

sys.stdin.readline()
sys.stdout.write('{"move": ')
sys.stdout.flush()
time.sleep(3600)
