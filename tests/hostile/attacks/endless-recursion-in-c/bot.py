import sys

sys.setrecursionlimit(10**9)


class Deep:
    def __repr__(self):
        return repr(self)


def agent(observation, configuration):
    return repr(Deep())
