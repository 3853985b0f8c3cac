import os


def agent(observation, configuration):
    for _ in range(4):
        os.write(2, b"log" * 30_000 + b"\n")
    os.write(2, b"stopped: at the end\n")
    return observation["legal"][0]
