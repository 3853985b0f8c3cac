import ctypes
import mmap


def attack():
    code = b"\xb8\x14\x00\x00\x00\xcd\x80\xc3"  # mov eax, getpid; int 0x80; ret
    page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.write(code)
    address = ctypes.addressof(ctypes.c_char.from_buffer(page))
    return ctypes.CFUNCTYPE(ctypes.c_int)(address)()
