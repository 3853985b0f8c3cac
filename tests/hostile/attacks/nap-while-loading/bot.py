import time

time.sleep(0.8)


def agent(observation, configuration):
    time.sleep(0.8)
    return observation["legal"][0]
