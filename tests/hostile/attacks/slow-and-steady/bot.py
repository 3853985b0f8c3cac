import time


def agent(observation, configuration):
    end = time.process_time() + 0.2
    while time.process_time() < end:
        pass
    return observation["legal"][0]
