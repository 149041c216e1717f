"""Canonical JSON text of a value, which is stored, compared and typed."""

from __future__ import annotations

import re
from typing import Any

import orjson

from babelreg.contract.exact_numbers import json_text
from babelreg.typemap.spark import Unstorable
from babelreg.typemap.spark.whole_floats import floats_as_integers

_SIGNED = orjson.dumps(1e22) == b"1e+22"
"""True if this release of orjson writes the sign of an exponent."""

_WHOLE = re.compile(rb"\.0(?![0-9])" if _SIGNED else rb"\.0(?![0-9])|[0-9]e[0-9]").search
_WHOLE_HAS = b".0" if _SIGNED else b""
"""Bytes without which there is nothing to search for: they are found sooner than a pattern."""

_PLUS = ord("+")


def canonical(data: Any) -> bytes:
    """Return JSON of ``data``: names sorted, integral numbers without a fraction.

    A message that went through another language's encoder, which may sort names and write 1.0 as 1, keeps it. Raises
    Unstorable for what cannot be written: nesting without end, an unpaired surrogate, digits without end.
    """
    try:
        written = orjson.dumps(data, option=orjson.OPT_SORT_KEYS)
    except TypeError:  # an integer beyond 64 bits, a Decimal, deeper than orjson goes, an unpaired surrogate
        return _written(data)
    except RecursionError:
        raise Unstorable("unstorable_depth") from None
    return canonical_from(data, written)


def canonical_from(data: Any, written: bytes) -> bytes:
    """Return :func:`canonical` of ``data``, given its JSON ``written`` by orjson with sorted names."""
    return _written(data) if _may_hold_integral_float(written) else written


def _written(data: Any) -> bytes:
    try:
        bare = floats_as_integers(data)
        try:
            return orjson.dumps(bare, option=orjson.OPT_SORT_KEYS)
        except TypeError:
            return json_text(bare, sort_keys=True).encode()
    except RecursionError:
        raise Unstorable("unstorable_depth") from None
    except UnicodeEncodeError:
        raise Unstorable("unstorable_string") from None


def _may_hold_integral_float(written: bytes) -> bool:
    """False when certainly no float in ``written`` is a whole number, which orjson writes as 1.0 or 1e+22.

    What looks like one within a text costs a second look, no more.
    """
    return (_WHOLE_HAS in written and _WHOLE(written) is not None) or (_PLUS in written and b"e+" in written)
