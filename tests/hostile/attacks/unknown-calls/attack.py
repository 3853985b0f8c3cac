from means import call


def attack():
    for number in range(449, 600):
        try:
            return number, call(number, 0, 0, 0, 0, 0, 0)
        except PermissionError:
            pass
    raise OSError("all refused")
