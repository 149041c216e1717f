"""Search for numbers that orjson may not read exactly, in many messages at once.

It agrees with ``exact_numbers.may_be_inexact``, for a fraction of its time: the bytes of many messages are compared
together, while they still are one text, and all their numbers of many digits are written again together. So messages
with doubles of 17 digits stay on the fast path.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import orjson
import pyarrow as pa
from numpy.typing import NDArray

from babelreg.contract.exact_numbers import RUN, returned_exactly

__all__ = ["certainly_exact", "certainly_exact_in"]

_Bytes = NDArray[np.uint8]
_Positions = NDArray[np.int64]

_STEP_BYTES = 128 * 1024
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

_POINT, _MINUS, _E = map(np.uint8, map(ord, ".-e"))
_LOWER_CASE = np.uint8(ord("a") ^ ord("A"))
_COMMAS = bytes.maketrans(b"]} \t\r\n", b",,,,,,")


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
        for positions in _doubtful(characters):
            for number in np.searchsorted(ends, positions, "right").tolist():
                exact[number] = False
    return exact


def _doubtful(characters: _Bytes) -> Iterator[_Positions]:
    """Yield positions of numbers that need another look."""
    eight = np.zeros(len(characters) // 8 + 3, np.uint8)  # bits of digits and points, between bytes without any
    negative_exponents = []
    difference, digits, other = np.empty(_STEP_BYTES, np.uint8), *np.empty((2, _STEP_BYTES), np.bool_)
    for start in range(0, len(characters), _STEP_BYTES):
        part, following = characters[start : start + _STEP_BYTES], characters[start + 1 : start + _STEP_BYTES + 1]
        size = len(part)
        np.subtract(part, _POINT, out=difference[:size])
        bits = np.packbits(np.less(difference[:size], np.uint8(12), out=digits[:size]))  # the slash, too
        eight[1 + start // 8 :][: len(bits)] = bits
        size = len(following)
        np.equal(np.bitwise_or(part[:size], _LOWER_CASE, out=difference[:size]), _E, out=digits[:size])
        np.logical_and(digits[:size], np.equal(following, _MINUS, out=other[:size]), out=digits[:size])
        negative_exponents.append(np.flatnonzero(digits[:size]) + start)
    yield _tiny_numbers(characters, np.concatenate(negative_exponents))
    yield from _long_numbers(characters, eight)


def _tiny_numbers(characters: _Bytes, positions: _Positions) -> _Positions:
    """Return the negative exponents of three digits or more, of those that are at ``positions``."""
    for distance in (-1, 2, 3, 4):
        positions = positions[_DIGIT[characters.take(positions + distance, mode="clip")]]
    ends = positions + 5
    for _ in range(_UUID_DIGITS):
        ends[_DIGIT[characters.take(ends, mode="clip")]] += 1
    follow = characters.take(ends, mode="clip")
    return positions[_AFTER[follow] | _DIGIT[follow]]


def _long_numbers(characters: _Bytes, eight: _Bytes) -> Iterator[_Positions]:
    """Yield the positions of long numbers that a double does not return exactly, and of unclear ones."""
    full = np.flatnonzero(eight == 0xFF)  # a run of 16 digits fills one of these bytes
    full = full[_TRAILING[eight[full - 1]] + _LEADING[eight[full + 1]] >= RUN - 8]
    if not len(full):
        return
    gaps = np.flatnonzero(full[1:] - full[:-1] != 1)
    first, last = full[np.r_[0, gaps + 1]], full[np.r_[gaps, len(full) - 1]]
    starts, ends = first * 8 - 8 - _TRAILING[eight[first - 1]], last * 8 + _LEADING[eight[last + 1]]
    before, after = characters[starts - 1], characters.take(ends, mode="clip")
    negative = before == _MINUS
    before = np.where(negative, characters[starts - 2], before)
    yield starts[(_BEFORE[before] & _EXPONENT[after]) | _SIGNED[before]]
    number = _BEFORE[before] & _AFTER[after]
    starts, ends = (starts - negative)[number], ends[number]
    if len(starts):
        yield starts[_changed(characters, starts, ends)]


def _changed(characters: _Bytes, starts: _Positions, ends: _Positions) -> list[int]:
    """Return the indexes of the numbers that orjson does not read exactly. A character follows each of them."""
    # An array of each number with the character behind it, and of what is between them; then of the numbers only.
    borders = np.stack([starts, ends + 1], axis=1)
    buffers = [None, pa.py_buffer(borders), pa.py_buffer(characters)]
    count = 2 * len(starts) - 1
    numbers = pa.Array.from_buffers(pa.large_binary(), count, buffers).take(pa.array(np.arange(0, count, 2)))
    size = int((ends + 1 - starts).sum())
    texts = numbers.buffers()[2].to_pybytes()[: size - 1].translate(_COMMAS)
    listed = b"[" + texts + b"]"
    try:
        if orjson.dumps(orjson.loads(listed)) == listed:
            return []
    except orjson.JSONDecodeError:  # text that looks like a number, in a string
        pass
    return [number for number, text in enumerate(texts.split(b",")) if not returned_exactly(text)]
