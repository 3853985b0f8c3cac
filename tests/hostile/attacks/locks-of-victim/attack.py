import ctypes

import targets
from means import call


def attack():
    return call(274, targets.VICTIM, ctypes.create_string_buffer(8), ctypes.create_string_buffer(8))
