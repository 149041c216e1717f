"""Guess of the format that bytes are in, for whoever named another one."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from babelreg.contract.parse import ParseError, bare
from babelreg.wire.formats.table import FORMATS

_MAX_BYTES = 1024 * 1024


def detect(raw: bytes) -> str | None:
    """Return the name of the format whose distinguishing members the message has; None in doubt."""
    document: Any = None
    with suppress(ParseError):
        document = bare(raw, _MAX_BYTES)
    return next((name for name, wire in FORMATS.items() if wire.recognizes(raw, document)), None)
