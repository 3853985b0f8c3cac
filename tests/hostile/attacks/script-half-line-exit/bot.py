import sys

sys.stdout.write('{"move":"1"')
sys.stdout.flush()
