"""The smallest native bot: it answers one request with 0 and ends.

The self-test plays it to see whether this machine starts programs from the data folder, which a
mount option or the kernel can forbid.
"""

from __future__ import annotations

import platform
import struct

_REPLY = b'{"move":0}\n'
_ADDRESS = 0x400000
_HEADER_BYTES, _SEGMENT_BYTES = 64, 56
_START = _HEADER_BYTES + _SEGMENT_BYTES


def _x86_64() -> bytes:
    exit_code = bytes.fromhex("b83c000000 31ff 0f05")  # exit(0)
    after = bytes.fromhex("ba") + struct.pack("<I", len(_REPLY)) + bytes.fromhex("0f05") + exit_code
    start = bytes.fromhex("b801000000 bf01000000 488d35") + struct.pack("<i", len(after))
    return start + after + _REPLY  # write(1, _REPLY, its length)


def _aarch64() -> bytes:
    words = (
        0xD2800808,  # x8 = 64: write
        0xD2800020,  # x0 = 1
        0x100000C1,  # x1 = the address of the word after the last one here
        0xD2800002 | len(_REPLY) << 5,  # x2
        0xD4000001,
        0xD2800BA8,  # x8 = 93: exit
        0xD2800000,  # x0 = 0
        0xD4000001,
    )
    return struct.pack("<8I", *words) + _REPLY


_CODE = {"x86_64": (62, _x86_64), "aarch64": (183, _aarch64)}


def build(machine: str = platform.machine()) -> bytes:
    """The program for a kind of machine that has sandboxes."""
    number, assemble = _CODE[machine]
    code = assemble()
    size = _START + len(code)
    ident = b"\x7fELF\2\1\1" + bytes(9)
    header = struct.pack(
        "<16sHHIQQQIHHHHHH", ident, 2, number, 1, _ADDRESS + _START, _HEADER_BYTES, 0, 0,
        _HEADER_BYTES, _SEGMENT_BYTES, 1, 0, 0, 0,
    )  # fmt: skip
    loaded = struct.pack("<IIQQQQQQ", 1, 5, 0, _ADDRESS, _ADDRESS, size, size, 0x1000)
    return header + loaded + code
