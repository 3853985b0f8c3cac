import gc


class Phoenix:
    def __init__(self):
        self.me = self

    def __del__(self):
        Phoenix()
        gc.collect()


def agent(observation, configuration):
    while True:
        Phoenix()
        gc.collect()
