import ctypes
import mmap


def attack():
    code = b"\xb8\x29\x00\x00\x00\x0f\x05\xc3"  # mov eax, socket; syscall; ret
    page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.write(code)
    address = ctypes.addressof(ctypes.c_char.from_buffer(page))
    made = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_int)(address)(1, 1, 0)
    if made < 0:
        raise OSError(-made, "refused")
    return made
