"""Doubles as IEEE numbers of 16 octets: the standard's long double."""

from __future__ import annotations

import math

_BIAS, _FRACTION = 16383, 112
_INFINITE = 0x7FFF


def quad_octets(number: float) -> bytes:
    """A double as the 16 octets of a long double, most significant first, without loss."""
    sign = 1 if math.copysign(1.0, number) < 0 else 0
    if math.isnan(number):
        exponent, fraction = _INFINITE, 1 << (_FRACTION - 1)
    elif math.isinf(number):
        exponent, fraction = _INFINITE, 0
    elif not number:
        exponent, fraction = 0, 0
    else:
        mantissa, power = math.frexp(abs(number))
        # The mantissa is 0.5 to 1; a quad counts from 1 to 2, and does not store the 1.
        exponent = power - 1 + _BIAS
        fraction = int(mantissa * 2**53) - 2**52 << _FRACTION - 52
    return (sign << 127 | exponent << _FRACTION | fraction).to_bytes(16, "big")


def quad_number(octets: bytes) -> float | None:
    """The double in 16 octets, or None if they are not exactly a double."""
    bits = int.from_bytes(octets, "big")
    sign = -1.0 if bits >> 127 else 1.0
    exponent, fraction = bits >> _FRACTION & _INFINITE, bits & (1 << _FRACTION) - 1
    if exponent == _INFINITE:
        return math.copysign(math.nan if fraction else math.inf, sign)
    if not exponent:
        return None if fraction else sign * 0.0
    if fraction & (1 << _FRACTION - 52) - 1:
        return None
    whole = (fraction >> _FRACTION - 52) + 2**52
    try:
        number = math.ldexp(sign * whole, exponent - _BIAS - 52)
    except OverflowError:
        return None
    # A number too small for a double was rounded.
    return number if quad_octets(number) == octets else None
