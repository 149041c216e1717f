"""Search for numbers that orjson may not read exactly, in many messages at once.

It agrees with ``exact_numbers.may_be_inexact``, for a fraction of its time: the bytes of many messages are compared
together, and all their numbers of many digits are written again together. So messages with doubles of 17 digits stay on
the fast path.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import orjson
from numpy.typing import NDArray

from babelreg.contract.exact_numbers import RUN

__all__ = ["certainly_exact"]

_TOGETHER_BYTES = 128 * 1024
"""Bytes that are searched together: they stay in the processor's cache."""

_FEW = 8
"""Messages that ``may_be_inexact`` searches at less cost, one by one."""

_BEFORE, _AFTER, _DIGIT, _EXPONENT, _SIGNED = (
    np.isin(np.arange(256), np.frombuffer(characters, np.uint8))
    for characters in (b"[:, \t\r\n", b",]} \t\r\n", b"0123456789", b"eE", b"eE+")
)
_BITS = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).astype(np.int64)
_LEADING, _TRAILING = _BITS.cumprod(axis=1).sum(axis=1), _BITS[:, ::-1].cumprod(axis=1).sum(axis=1)
"""Number of bits that are set in a row, at the start and at the end of a byte."""

_LOWER_CASE = np.uint8(ord("a") ^ ord("A"))
_AROUND_EXPONENT, _AFTER_EXPONENT = np.array([-1, 2, 3, 4]), np.array([5, 6])
_PADDING = b"\n" * RUN


def certainly_exact(bodies: Sequence[bytes]) -> Sequence[bool]:
    """Return for each message whether orjson certainly reads all its numbers exactly; False where that is not known."""
    if len(bodies) < _FEW:
        return [False] * len(bodies)
    exact = [True] * len(bodies)
    step = max(_FEW, len(bodies) * _TOGETHER_BYTES // (sum(map(len, bodies)) + 1))
    search = _Search()
    for start in range(0, len(bodies), step):
        for number in search.doubtful(bodies[start : start + step]):
            exact[start + number] = False
    return exact


class _Search:
    """Search in many texts. Its arrays are used again: new memory costs more than the search."""

    def __init__(self) -> None:
        self._allocate(2 * _TOGETHER_BYTES)

    def _allocate(self, size: int) -> None:
        self._difference = np.empty(size, np.uint8)
        self._digits, self._found, self._minus = np.empty((3, size), np.bool_)

    def doubtful(self, bodies: Sequence[bytes]) -> list[int]:
        """Return the indexes of the messages that need another look."""
        text = b"\n".join([_PADDING, *bodies, _PADDING])
        characters = np.frombuffer(text, np.uint8)
        if len(text) > len(self._digits):
            self._allocate(len(text))
        difference, digits = self._difference[: len(text)], self._digits[: len(text)]
        np.subtract(characters, np.uint8(ord(".")), out=difference)
        np.less(difference, np.uint8(12), out=digits)  # the point, the slash and all digits
        positions = [*_long_numbers(text, characters, digits), *self._tiny_numbers(characters, digits)]
        if not positions:
            return []
        ends = np.cumsum(np.fromiter(map(len, bodies), np.int64, len(bodies)) + 1) + len(_PADDING)
        numbers: list[int] = np.unique(np.searchsorted(ends, positions, "right")).tolist()
        return numbers

    def _tiny_numbers(self, characters: NDArray[np.uint8], digits: NDArray[np.bool_]) -> list[int]:
        """Return the positions of negative exponents of three digits or more, few of which are within a UUID."""
        count = len(characters) - 1
        lower, found, minus = self._difference[:count], self._found[:count], self._minus[:count]
        np.bitwise_or(characters[:-1], _LOWER_CASE, out=lower)
        np.equal(lower, np.uint8(ord("e")), out=found)
        np.equal(characters[1:], np.uint8(ord("-")), out=minus)
        np.logical_and(found, minus, out=found)
        positions = np.flatnonzero(found)
        positions = positions[digits[positions[:, None] + _AROUND_EXPONENT].all(axis=1)]
        follow = characters[positions[:, None] + _AFTER_EXPONENT]
        number, longer = _AFTER[follow], _DIGIT[follow]
        tiny: list[int] = positions[number[:, 0] | (longer[:, 0] & (number[:, 1] | longer[:, 1]))].tolist()
        return tiny


def _long_numbers(text: bytes, characters: NDArray[np.uint8], digits: NDArray[np.bool_]) -> list[int]:
    """Return the positions of long numbers that are not the shortest text of a double, and of unclear ones."""
    eight = np.packbits(digits)
    full = np.flatnonzero(eight == 0xFF)  # a run of 16 digits fills one of these bytes
    full = full[_TRAILING[eight[full - 1]] + _LEADING[eight[full + 1]] >= RUN - 8]
    if not len(full):
        return []
    gaps = full[1:] - full[:-1] != 1
    first, last = full[np.r_[True, gaps]], full[np.r_[gaps, True]]
    starts, ends = first * 8 - _TRAILING[eight[first - 1]], last * 8 + 8 + _LEADING[eight[last + 1]]
    before, after = characters[starts - 1], characters[ends]
    negative = before == ord("-")
    before = np.where(negative, characters[starts - 2], before)
    number = _BEFORE[before] & _AFTER[after]
    others: list[int] = starts[(_BEFORE[before] & _EXPONENT[after]) | _SIGNED[before]].tolist()
    numbers, ends_ = (starts - negative)[number].tolist(), ends[number].tolist()
    tokens = [text[start:end] for start, end in zip(numbers, ends_, strict=True)]
    listed = b"[" + b",".join(tokens) + b"]"
    try:
        written = orjson.dumps(orjson.loads(listed))
    except orjson.JSONDecodeError:  # text that looks like a number, in a string
        return [*numbers, *others]
    if written == listed:
        return others
    changed = zip(numbers, tokens, written[1:-1].split(b","), strict=True)
    return [*others, *(start for start, token, again in changed if token != again)]
