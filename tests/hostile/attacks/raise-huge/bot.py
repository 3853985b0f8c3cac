def agent(observation, configuration):
    raise ValueError("\x1b[31m\0\u202e" * (1 << 20))
