class agent:
    def __init__(self, observation, configuration):
        pass
