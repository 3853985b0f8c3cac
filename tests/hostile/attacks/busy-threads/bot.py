import threading
import time
import zlib


def burn():
    while True:
        zlib.crc32(bytes(1 << 20))


def agent(observation, configuration):
    for _ in range(4):
        threading.Thread(target=burn, daemon=True).start()
    time.sleep(3600)
