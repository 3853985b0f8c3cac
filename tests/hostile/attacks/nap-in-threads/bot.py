import threading
import time


def doze():
    while True:
        time.sleep(0.01)


threading.stack_size(1 << 18)  # or the limit of memory would stop it
for _ in range(8):
    threading.Thread(target=doze, daemon=True).start()


def agent(observation, configuration):
    time.sleep(0.8)
    return observation["legal"][0]
