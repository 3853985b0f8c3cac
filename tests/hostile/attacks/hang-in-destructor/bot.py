import time


class Move(str):
    def __del__(self):
        time.sleep(3600)


def agent(observation, configuration):
    Move("x")
    return observation["legal"][0]
