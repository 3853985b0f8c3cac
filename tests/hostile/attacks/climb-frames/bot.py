import gc
import sys

def agent(observation, configuration):
    frame, seen = sys._getframe(), []
    while frame is not None:
        seen.append(str(frame.f_globals.get("__file__")))
        frame = frame.f_back
    texts = [thing for thing in gc.get_objects() if isinstance(thing, (dict, list, tuple))]
    secret = " ".join(["the", "secret", "of", "the", "server"])
    found = [thing for thing in texts if len(thing) < 1000 and secret in thing]
    print("BREACH: found" if found else "stopped: nothing of the server's is in this process")
    return observation["legal"][0]
