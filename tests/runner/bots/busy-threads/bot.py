"""Burns on several threads at once."""

import hashlib
import threading


def burn():
    while True:
        hashlib.sha256(bytes(1_000_000)).digest()


def agent(observation, configuration):
    for _ in range(4):
        threading.Thread(target=burn).start()
    burn()
