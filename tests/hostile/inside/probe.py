"""The bot around an `attack`: it tries once, logs the result, and plays on.

The corpus runs it with `attack.py`, `means.py` and `targets.py` beside it.
"""

from attack import attack

tried = False


def agent(observation, configuration):
    global tried
    if not tried:
        tried = True
        try:
            got = attack()
        except Exception as error:
            print(f"stopped: {type(error).__name__}: {error}")
        else:
            print(f"BREACH: {got!r:.100}")
    return observation["legal"][0]
