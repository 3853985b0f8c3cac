import sys


def attack():
    words = [word for word in sys.orig_argv if "=" in word]
    if not words:
        raise OSError("cleared")
    return words
