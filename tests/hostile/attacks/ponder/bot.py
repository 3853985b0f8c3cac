import threading
import zlib


def burn():
    while True:
        zlib.crc32(bytes(1 << 16))


for _ in range(4):
    threading.Thread(target=burn, daemon=True).start()


def agent(observation, configuration):
    print("stopped: between turns")
    return observation["legal"][0]
