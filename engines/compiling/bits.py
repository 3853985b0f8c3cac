"""Operations on 64-bit boards that Python and numba write differently.

Called from Python, each function here is plain Python; called from compiled code, it is one machine
instruction or a few.
"""

from __future__ import annotations

import struct
from typing import Any, TypeAlias

import numpy as np
from numba import types
from numba.extending import intrinsic, overload

Bits: TypeAlias = np.uint64

_WORD = (1 << 64) - 1
_FIRST = 0xBF58476D1CE4E5B9
_SECOND = 0x94D049BB133111EB


def popcount(bits: Bits) -> int:
    """The number of set bits."""
    return int(bits).bit_count()


def lowest(bits: Bits) -> int:
    """Index of the lowest set bit; `bits` must not be 0."""
    value = int(bits)
    return (value & -value).bit_length() - 1


def highest(bits: Bits) -> int:
    """Index of the highest set bit; `bits` must not be 0."""
    return int(bits).bit_length() - 1


def reverse(bits: Bits) -> Bits:
    """The same bits in the opposite order: bit n becomes bit 63 - n."""
    return np.uint64(int(f"{int(bits):064b}"[::-1], 2))


def flipped(bits: Bits) -> Bits:
    """The eight bytes in reverse order: an 8x8 board seen from the other side."""
    return np.uint64(int.from_bytes(int(bits).to_bytes(8, "little"), "big"))


def less(bits: Bits, other: Bits) -> Bits:
    """The difference modulo 2 ** 64; numpy's own subtraction warns if it wraps around."""
    return np.uint64(int(bits) - int(other) & _WORD)


def mix(bits: Bits) -> Bits:
    """A one-to-one scrambling of all 64 bits (the finalizer of Steele's SplitMix)."""
    value = int(bits)
    value = (value ^ (value >> 30)) * _FIRST & _WORD
    value = (value ^ (value >> 27)) * _SECOND & _WORD
    return np.uint64(value ^ (value >> 31))


def rank(value: float) -> int:
    """A whole number in the order of the values, with `rank(-x) == -rank(x)`.

    The bits of a positive float, read as a whole number, have the order of the floats; the last
    four are left out. So two values share a rank only if they agree in 48 binary digits. NaN has
    rank 0, and the infinities rank next to the largest numbers. Ranks stay below 2 ** 59.
    """
    if value != value:
        return 0
    bits: int = struct.unpack("<q", struct.pack("<d", abs(value)))[0] >> 4
    return -bits if value < 0 else bits


def unrank(number: int) -> float:
    """A value of that rank: `rank(unrank(n)) == n`."""
    value: float = struct.unpack("<d", struct.pack("<q", abs(number) << 4))[0]
    return -value if number < 0 else value


@intrinsic
def _float_bits(_typing: Any, value: Any) -> Any:
    def emit(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], context.get_value_type(types.int64))

    return types.int64(types.float64), emit


@overload(rank, strict=False)
def _compiled_rank(value: Any) -> Any:
    def compiled(value: Any) -> Any:
        if value != value:
            return 0
        bits = _float_bits(abs(value)) >> 4  # type: ignore[call-arg]
        return -bits if value < 0 else bits

    return compiled


@intrinsic
def _bits_float(_typing: Any, bits: Any) -> Any:
    def emit(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], context.get_value_type(types.float64))

    return types.float64(types.int64), emit


@overload(unrank, strict=False)
def _compiled_unrank(number: Any) -> Any:
    def compiled(number: Any) -> Any:
        value: Any = _bits_float(abs(number) << 4)  # type: ignore[call-arg]
        return -value if number < 0 else value

    return compiled


@intrinsic
def _ctpop(_typing: Any, bits: Any) -> Any:
    def emit(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.uint64), emit


@intrinsic
def _cttz(_typing: Any, bits: Any) -> Any:
    def emit(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], context.get_constant(types.boolean, False))

    return types.int64(types.uint64), emit


@intrinsic
def _ctlz(_typing: Any, bits: Any) -> Any:
    def emit(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.ctlz(arguments[0], context.get_constant(types.boolean, False))

    return types.int64(types.uint64), emit


@intrinsic
def _bitreverse(_typing: Any, bits: Any) -> Any:
    def emit(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.bitreverse(arguments[0])

    return types.uint64(types.uint64), emit


@intrinsic
def _bswap(_typing: Any, bits: Any) -> Any:
    def emit(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.bswap(arguments[0])

    return types.uint64(types.uint64), emit


@overload(flipped, strict=False)
def _compiled_flipped(bits: Any) -> Any:
    return lambda bits: _bswap(bits)  # type: ignore[call-arg]


@overload(less, strict=False)
def _compiled_less(bits: Any, other: Any) -> Any:
    return lambda bits, other: bits - other


@overload(popcount, strict=False)
def _compiled_popcount(bits: Any) -> Any:
    return lambda bits: _ctpop(bits)  # type: ignore[call-arg]


@overload(lowest, strict=False)
def _compiled_lowest(bits: Any) -> Any:
    return lambda bits: _cttz(bits)  # type: ignore[call-arg]


@overload(highest, strict=False)
def _compiled_highest(bits: Any) -> Any:
    return lambda bits: 63 - _ctlz(bits)  # type: ignore[call-arg]


@overload(reverse, strict=False)
def _compiled_reverse(bits: Any) -> Any:
    return lambda bits: _bitreverse(bits)  # type: ignore[call-arg]


@overload(mix, strict=False)
def _compiled_mix(bits: Any) -> Any:
    first, second = np.uint64(_FIRST), np.uint64(_SECOND)
    by_30, by_27, by_31 = np.uint64(30), np.uint64(27), np.uint64(31)

    def compiled(bits: Any) -> Any:
        bits = (bits ^ (bits >> by_30)) * first
        bits = (bits ^ (bits >> by_27)) * second
        return bits ^ (bits >> by_31)

    return compiled
