class Odd(BaseException):
    def __str__(self):
        raise self

    __repr__ = __str__


def agent(observation, configuration):
    raise Odd
