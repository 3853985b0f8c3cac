import time

time.sleep(3600)
agent = print
