import re


def agent(observation, configuration):
    return re.match(r"(a+)+$", "a" * 64 + "b")
