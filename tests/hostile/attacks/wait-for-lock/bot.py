import threading


def agent(observation, configuration):
    lock = threading.Lock()
    lock.acquire()
    lock.acquire()
