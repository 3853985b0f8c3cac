class Key:
    def __hash__(self):
        return 1


def agent(observation, configuration):
    return {Key(): None for _ in range(10**6)}
