"""Texts of JSON numbers: of every length and size, many beside the borders of doubles, BIGINT and DECIMAL."""

from __future__ import annotations

import random

BORDERS = (
    "0", "-0", "0.0", "-0.0", "0e5", "9007199254740992", "9007199254740993", "9007199254740993.0", "9007199254740993e0",
    "9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "9223372036854775807.0",
    "9223372036854775808.0", "18446744073709551615", "18446744073709551616", "12345678901234567.89", "123456789012345678.9",
    "12345678901234567890123456.1234567891", "0.30000000000000004", "0.1", "0.10000000000000001", "1e22", "1e23", "1E+23",
    "1e308", "1.7976931348623157e308", "2.2250738585072014e-308", "2.2250738585072011e-308", "5e-324", "4.9e-324", "1e-400",
    "-1e-400", "1e-4000", "1.0000000000000000000000", "1e0000000000000000002", "1e-0000000000000000002",
    "99999999999999999999999999999999999999", "1234567890123456e1", "1.2345678901234567e-07", "0.000000000000000000001",
)  # fmt: skip


def number_text(source: random.Random) -> str:
    """Return the text of a number that a double may hold, return or round."""
    kind = source.random()
    if kind < 0.05:
        return source.choice(BORDERS)
    if kind < 0.25:
        return repr(source.uniform(-1, 1) * 10.0 ** source.randint(-20, 25))  # a shortest text
    sign = source.choice(("", "", "-"))
    if kind < 0.45:
        return sign + str(source.getrandbits(source.randint(1, 100)))
    whole = str(source.getrandbits(source.randint(1, 80)))
    fraction = "".join(source.choice("0123456789") for _ in range(source.randint(1, 24)))
    if kind < 0.55:
        fraction = "0" * len(fraction)
    text = f"{sign}{whole}.{fraction}" if source.random() < 0.8 else sign + whole
    return text if kind < 0.8 else f"{text}{source.choice('eE')}{source.choice(('', '+', '-'))}{source.randint(0, 30)}"
