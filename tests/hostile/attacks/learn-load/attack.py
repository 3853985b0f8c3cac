import ctypes

from means import call


def attack():
    answer = ctypes.create_string_buffer(128)
    call(99, answer)
    return answer.raw[:32]
