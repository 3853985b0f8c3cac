from means import call


def attack():
    numbers = [*range(41, 56), 288, 299, 307]
    for number in numbers:
        try:
            return number, call(number, 1, 1, 0, 0, 0, 0)
        except PermissionError:
            pass
    raise OSError("none")
