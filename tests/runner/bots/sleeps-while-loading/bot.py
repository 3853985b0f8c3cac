import time

time.sleep(3600)
agent = None
