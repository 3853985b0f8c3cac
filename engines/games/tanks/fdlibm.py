"""The two functions of Java's mathematics library whose last bit differs from C's.

After fdlibm, "Freely Distributable LIBM" by Sun Microsystems, which Java prescribes for them.
Arguments are finite numbers of ordinary size, such as positions on a battlefield.
"""

from __future__ import annotations

import math

import numpy as np

from engines.compiling.jit import njit

_HIGH_WORD = np.int64(-(1 << 32))

_PI_LOW = 1.2246467991473531772e-16

# arctan of 0.5, 1, 1.5 and infinity, each as a double and its rounding error.
_ATAN_HIGH = (
    4.63647609000806093515e-01,
    7.85398163397448278999e-01,
    9.82793723247329054082e-01,
    1.57079632679489655800e00,
)
_ATAN_LOW = (
    2.26987774529616870924e-17,
    3.06161699786838301793e-17,
    1.39033110312309984516e-17,
    6.12323399573676603587e-17,
)


@njit
def _high_part(value: float) -> float:
    """The number without the lower half of its bits."""
    return np.int64(np.float64(value).view(np.int64) & _HIGH_WORD).view(np.float64)


@njit
def _atan_series(x: float) -> float:
    """x - arctan x for |x| < 7/16."""
    z = x * x
    w = z * z
    odd = z * (
        3.33333333333329318027e-01
        + w
        * (
            1.42857142725034663711e-01
            + w
            * (
                9.09088713343650656196e-02
                + w
                * (
                    6.66107313738753120669e-02
                    + w * (4.97687799461593236017e-02 + w * 1.62858201153657823623e-02)
                )
            )
        )
    )
    even = w * (
        -1.99999999998764832476e-01
        + w
        * (
            -1.11111104054623557880e-01
            + w
            * (
                -7.69187620504482999495e-02
                + w * (-5.83357013379057348645e-02 + w * -3.65315727442169155270e-02)
            )
        )
    )
    return x * (odd + even)


@njit
def _atan(x: float) -> float:
    """The arctangent of x >= 0."""
    if x >= 2.0**66:
        return _ATAN_HIGH[3] + _ATAN_LOW[3]
    if x < 0.4375:
        return x if x < 2.0**-29 else x - _atan_series(x)
    if x < 0.6875:
        high, low, x = _ATAN_HIGH[0], _ATAN_LOW[0], (2.0 * x - 1.0) / (2.0 + x)
    elif x < 1.1875:
        high, low, x = _ATAN_HIGH[1], _ATAN_LOW[1], (x - 1.0) / (x + 1.0)
    elif x < 2.4375:
        high, low, x = _ATAN_HIGH[2], _ATAN_LOW[2], (x - 1.5) / (1.0 + 1.5 * x)
    else:
        high, low, x = _ATAN_HIGH[3], _ATAN_LOW[3], -1.0 / x
    return high - ((_atan_series(x) - low) - x)


@njit
def atan2(y: float, x: float) -> float:
    """`Math.atan2`."""
    if y == 0:
        return y if math.copysign(1.0, x) > 0 else math.copysign(math.pi, y)
    if x == 0:
        return math.copysign(math.pi / 2, y)
    # Beyond 2 ** 60 the angle equals that of the axis.
    if abs(y) > abs(x) * 2.0**61:
        angle = math.pi / 2 + 0.5 * _PI_LOW
    elif x < 0 and abs(y) * 2.0**61 < abs(x):
        angle = 0.0
    else:
        angle = _atan(abs(y / x))
    if x > 0:
        return angle if y > 0 else -angle
    return math.pi - (angle - _PI_LOW) if y > 0 else (angle - _PI_LOW) - math.pi


@njit
def hypot(x: float, y: float) -> float:
    """`Math.hypot`."""
    a, b = abs(x), abs(y)
    if b > a:
        a, b = b, a
    if b * 2.0**60 < a or b == 0:
        return a + b
    rest = a - b
    if rest > b:
        high = _high_part(a)
        return math.sqrt(high * high - (b * (-b) - (a - high) * (a + high)))
    double = a + a
    b_high, high = _high_part(b), _high_part(double)
    low = double - high
    return math.sqrt(high * b_high - (rest * (-rest) - (high * (b - b_high) + low * b)))
