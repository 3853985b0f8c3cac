class Odd(BaseException):
    def __str__(self):
        raise self


def agent(observation, configuration):
    raise Odd
