import sys
import time

sys.stdout.write('{"move":')
sys.stdout.flush()
time.sleep(3600)
