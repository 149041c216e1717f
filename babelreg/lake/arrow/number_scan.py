"""Search for numbers that orjson may not read exactly, in many messages at once.

It agrees with ``exact_numbers.may_be_inexact``, for a fraction of its time: the bytes of many messages are compared
together, while they still are one text, and all their numbers of many digits are written again together. So messages
with doubles of 17 digits stay on the fast path. Integers beyond 64 bits with a sign count as inexact here: orjson reads
those of 64 bits without one, and no BIGINT holds them, so that one of them would spoil a whole block of documents.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import orjson
import pyarrow as pa
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from babelreg.contract.exact_numbers import RUN, returned_exactly

_Bytes = NDArray[np.uint8]
_Positions = NDArray[np.int64]

_STEP_BYTES = 256 * 1024
"""Bytes that are compared together: they stay in the processor's cache. A multiple of 8."""

_FEW = 8
"""Messages that ``may_be_inexact`` searches at less cost, one by one."""

_BEFORE, _AFTER, _DIGIT, _EXPONENT, _SIGNED = (
    np.isin(np.arange(256), np.frombuffer(characters, np.uint8))
    for characters in (b"[:, \t\r\n", b",]} \t\r\n", b"0123456789.", b"eE", b"eE+")
)
_LEADING, _TRAILING = (
    np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1)[:, ::step]
    .cumprod(axis=1, dtype=np.int64)
    .sum(axis=1)
    for step in (1, -1)
)
"""Number of bits that are set in a row, at the start and at the end of a byte."""

_UUID_DIGITS = 12
"""Length of the last part of a UUID: what looks like an exponent there ends with a quotation mark."""

_USUAL_DIGITS = 24
"""Characters of a number, and one behind it, up to which many are written together."""

_NUMBER = np.tri(_USUAL_DIGITS, k=-1, dtype=np.uint8) * np.uint8(0xFF)
_COMMA = (_NUMBER == 0) * np.uint8(ord(" ")) ^ np.eye(_USUAL_DIGITS, dtype=np.uint8) * np.uint8(ord(" ") ^ ord(","))
"""By length: the bits of a number that stay, and of a comma and blanks behind it."""

_LEAST, _MOST = -(2**63), 2**63 - 1
_POINT, _MINUS = map(np.uint8, map(ord, ".-"))


def certainly_exact(bodies: Sequence[bytes]) -> list[bool]:
    """Return for each message whether orjson certainly reads all its numbers exactly; False where that is not known."""
    if len(bodies) < _FEW:
        return [False] * len(bodies)
    ends = np.cumsum(np.fromiter(map(len, bodies), np.int64, len(bodies)) + 1)
    return certainly_exact_in(b"\n".join([*bodies, b""]), ends)


def certainly_exact_in(text: bytes | pa.Buffer, ends: NDArray[np.integer[Any]]) -> list[bool]:
    """Return the same for messages that are one ``text``, and end at the increasing positions ``ends``.

    It holds for messages that are objects: other ones may have numbers at their ends.
    """
    exact = [True] * len(ends)
    characters = np.frombuffer(text, np.uint8)
    if len(characters):
        for positions in filter(len, _doubtful(characters)):
            for number in np.searchsorted(ends, positions, "right").tolist():
                exact[number] = False
    return exact


def _doubtful(characters: _Bytes) -> Iterator[_Positions]:
    """Yield positions of numbers that need another look."""
    eight = np.zeros(len(characters) // 8 + 3, np.uint8)  # bits of digits and points, between bytes without any
    difference, digits = np.empty(_STEP_BYTES, np.uint8), np.empty(_STEP_BYTES, np.bool_)
    for start in range(0, len(characters), _STEP_BYTES):
        part = characters[start : start + _STEP_BYTES]
        size = len(part)
        np.subtract(part, _POINT, out=difference[:size])
        bits = np.packbits(np.greater(np.uint8(12), difference[:size], out=digits[:size]))  # the slash, too
        eight[1 + start // 8 :][: len(bits)] = bits
    yield _tiny_numbers(characters, _between_digits(eight))
    yield from _long_numbers(characters, eight)


def _between_digits(eight: _Bytes) -> _Positions:
    """Return where two characters that are no digits stand between digits, two of them behind: as in ``1e-300``."""
    # Products, as numpy shifts bytes to the left one by one.
    before, next_one = eight >> 1, eight * np.uint8(1 << 1)
    before[1:] |= eight[:-1] * np.uint8(1 << 7)
    next_one[:-1] |= eight[1:] >> 7
    two = eight & next_one
    behind = two * np.uint8(1 << 2)
    behind[:-1] |= two[1:] >> 6
    inner = (before & behind & ((eight | next_one) ^ np.uint8(0xFF)))[1:-1]
    full = np.flatnonzero(inner != 0)
    bits = np.flatnonzero(np.unpackbits(inner.take(full).view(np.uint8)).view(np.bool_))
    return full.take(bits >> 3) * 8 + (bits & 7)


def _tiny_numbers(characters: _Bytes, positions: _Positions) -> _Positions:
    """Return the negative exponents of three digits or more, of those that are at ``positions``."""
    positions = positions[_EXPONENT.take(characters.take(positions))]
    positions = positions[characters.take(positions + 1) == _MINUS]
    for distance in (-1, 2, 3, 4):
        positions = positions[_DIGIT.take(characters.take(positions + distance, mode="clip"))]
    ends = positions + 5
    follow = characters.take(ends, mode="clip")
    for _ in range(_UUID_DIGITS):
        digits = _DIGIT.take(follow)
        if not digits.any():
            break
        ends += digits
        follow = characters.take(ends, mode="clip")
    return positions[_AFTER.take(follow) | _DIGIT.take(follow)]


def _long_numbers(characters: _Bytes, eight: _Bytes) -> Iterator[_Positions]:
    """Yield the positions of long numbers that a double does not return exactly, and of unclear ones."""
    full = np.flatnonzero(eight == 0xFF)  # a run of 16 digits fills one of these bytes
    digits = _TRAILING.take(eight.take(full - 1)) + _LEADING.take(eight.take(full + 1))
    full = full.compress(digits >= RUN - 8)
    if not len(full):
        return
    borders = np.ones(len(full) + 1, np.bool_)
    np.not_equal(full[1:], full[:-1] + 1, out=borders[1:-1])
    first, last = full[borders[:-1]], full[borders[1:]]
    starts = first * 8 - 8 - _TRAILING.take(eight.take(first - 1))
    ends = last * 8 + _LEADING.take(eight.take(last + 1))
    before, after = characters.take(starts - 1, mode="wrap"), characters.take(ends, mode="clip")
    negative = before == _MINUS
    if negative.any():
        before = np.where(negative, characters.take(starts - 2, mode="wrap"), before)
    follows = _BEFORE.take(before)
    yield starts.compress((follows & _EXPONENT.take(after)) | _SIGNED.take(before))
    number = follows & _AFTER.take(after)
    starts, ends = (starts - negative).compress(number), ends.compress(number)
    if len(starts):
        yield from _changed(characters, starts, ends)


def _changed(characters: _Bytes, starts: _Positions, ends: _Positions) -> Iterator[_Positions]:
    """Yield the positions of the numbers that orjson does not read exactly. A character follows each of them."""
    usual = (ends - starts < _USUAL_DIGITS) & (starts <= len(characters) - _USUAL_DIGITS)
    if _usual_exact(characters, starts.compress(usual), ends.compress(usual)):
        if usual.all():
            return
    else:
        usual[:] = False
    others = zip(starts[~usual].tolist(), ends[~usual].tolist(), strict=True)
    tokens = ((start, characters[start:end].tobytes()) for start, end in others)
    yield np.array([start for start, token in tokens if not (returned_exactly(token) and _is_int64(token))], np.int64)


def _is_int64(token: bytes) -> bool:
    """Return False for an integer that BIGINT cannot hold. Python reads no text of thousands of digits."""
    digits = token.lstrip(b"-")
    return not digits.isdigit() or (len(digits) < _USUAL_DIGITS and _LEAST <= int(token) <= _MOST)


def _usual_exact(characters: _Bytes, starts: _Positions, ends: _Positions) -> bool:
    """Return True if orjson writes all these numbers as they are, which it does together."""
    if not len(starts):
        return True
    rows = as_strided(characters, (len(characters) - _USUAL_DIGITS + 1, _USUAL_DIGITS), (1, 1))[starts]
    rows = rows & _NUMBER.take(ends - starts, axis=0) | _COMMA.take(ends - starts, axis=0)
    listed = b"[" + rows.tobytes().translate(None, b" ")[:-1] + b"]"
    try:
        numbers = orjson.loads(listed)
        return bool(orjson.dumps(numbers) == listed and min(numbers) >= _LEAST and max(numbers) <= _MOST)
    except orjson.JSONDecodeError:  # text that looks like a number, in a string
        return False
