import ctypes
import mmap
import os

from means import call


def attack():
    file = os.open(os.__file__, os.O_RDONLY)
    libc = ctypes.CDLL(None)
    libc.mmap.restype = ctypes.c_void_p
    page = libc.mmap(None, ctypes.c_size_t(4096), 1, 1, file, ctypes.c_long(0))
    return call(202, page, 1, 1, 0, 0, 0)
