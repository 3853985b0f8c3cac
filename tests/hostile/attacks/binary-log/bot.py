import os


def agent(observation, configuration):
    os.write(2, bytes(range(256)) * 20 + b"<script>alert(1)</script>\nstopped: \n")
    return observation["legal"][0]
