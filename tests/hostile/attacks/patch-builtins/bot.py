import builtins

builtins.len = lambda thing: 0
builtins.type = builtins.isinstance = builtins.callable = None


def agent(observation, configuration):
    return None.nothing
