"""Sine and cosine with the last bit of Java's.

Java's virtual machine computes them on 64-bit PCs by an algorithm of Intel's mathematics library
(described in its published comments), C libraries by others; one result in five hundred differs in
the last bit, which changes fights of robots. The angle is split into a multiple B of pi / 32 and
a rest r + c, where |r| <= pi / 64 and c is the rounding error of r:

    sin(B + r + c) = (S_hi + sigma r) + C_hl r + small terms

with sin B = S_hi + S_lo and cos B = sigma + C_hl, sigma a power of 2. The cosine is the sine a
quarter turn on. The tables are computed here, from the definitions.
"""

from __future__ import annotations

from decimal import Decimal, localcontext

import numpy as np

from engines.games.tanks.inlining import inlined

_PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899")


def _sine(angle: Decimal) -> Decimal:
    """The series of the sine, in the precision of the context."""
    term = total = angle
    for power in range(2, 100, 2):
        term *= -angle * angle / (power * (power + 1))
        total += term
    return total


def _nearest_power(cosine: float) -> float:
    """The sigma of a table row: the power of 2 next to the cosine, except for the smallest ones."""
    size = abs(cosine)
    for power, least in ((1.0, 0.75), (0.5, 0.375), (0.25, 0.1875), (0.125, 0.05)):
        if size > least:
            return power if cosine > 0 else -power
    return 0.0


def _table() -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """C_hl, S_hi, S_lo and sigma for each of 64 multiples of pi / 32."""
    rows = np.zeros((64, 4))
    with localcontext() as context:
        context.prec = 60
        for number in range(64):
            sine = _sine(_PI * number / 32) if number % 32 else Decimal(0)
            cosine = _sine(_PI * (number + 16) / 32) if (number + 16) % 32 else Decimal(0)
            sigma = _nearest_power(float(cosine))
            high = float(sine)
            rows[number, 0] = float(cosine - Decimal(sigma))
            rows[number, 1] = high
            rows[number, 2] = np.float32(float(sine - Decimal(high)))
            rows[number, 3] = sigma
    return rows


def _pi_in_parts() -> tuple[float, float, float]:
    """pi / 32 in parts: the first two have so few bits that multiples of them are exact."""
    with localcontext() as context:
        context.prec = 60
        rest = _PI / 32
        first = float(int(rest * 2**37)) / 2**37
        rest -= Decimal(first)
        second = float(int(rest * 2**72)) / 2**72
        rest -= Decimal(second)
        return first, second, float(rest)


TABLE = _table()
_P_1, _P_2, _P_3 = _pi_in_parts()
_STEPS = 10.185916357881302  # 32 / pi


@inlined
def _combine(row: int, r: float, lost: float, sine_series: float, cosine_series: float) -> float:
    c_hl, s_hi, s_lo, sigma = TABLE[row, 0], TABLE[row, 1], TABLE[row, 2], TABLE[row, 3]
    cosine = c_hl + sigma
    square = r * r
    correction = lost * (s_hi * r - cosine) + s_lo
    # Two compensated sums leave the small parts to be added last.
    step = sigma * r
    inner = step + s_hi
    medium = c_hl * r
    outer = medium + inner
    small = correction + ((s_hi - inner) + step)
    small += (inner - outer) + medium
    small += sine_series * (cosine * r * square)
    small += cosine_series * (s_hi * square)
    return float(outer + small)


@inlined
def sin_cos(angle: float) -> tuple[float, float]:
    """`Math.sin` and `Math.cos`, for angles of a few circles."""
    steps = angle * _STEPS
    number = int(steps + 0.5) if angle >= 0 else int(steps - 0.5)
    whole = float(number)
    first = angle - whole * _P_1
    middle = whole * _P_2
    r = first - middle
    lost = whole * _P_3 - ((first - r) - middle)
    square = r * r
    fourth = square * square
    sine_series = (1 / 120 * square + -1 / 6) + ((1 / 362880 * first) * r + -1 / 5040) * fourth
    cosine_series = (1 / 24 * square + -1 / 2) + ((1 / 40320 * first) * r + -1 / 720) * fourth
    return (
        _combine(number & 63, r, lost, sine_series, cosine_series),
        _combine((number + 16) & 63, r, lost, sine_series, cosine_series),
    )
