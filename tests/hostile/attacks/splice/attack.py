import os

from means import call


def attack():
    (a, b), (c, d) = os.pipe(), os.pipe()
    os.write(b, b"x")
    return call(275, a, 0, d, 0, 1, 0)
