"""JSON texts as values that can be written again: no NaN, nothing beyond doubles, no unpaired surrogate."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

from babelreg.load.files.defect import bounded
from babelreg.schema.values import number_as_written


class StrictJsonError(ValueError):
    """A text that is no JSON, or whose value cannot be written again. ``line`` and ``column`` count from 1."""

    def __init__(self, message: str, line: int = 1, column: int = 1) -> None:
        super().__init__(message)
        self.line = line
        self.column = column


Members = list[tuple[str, Any]]


def strict_json(text: str, members: Callable[[Members], Any] | None = None) -> Any:
    """Return the value of ``text``, in which ``members`` makes the objects. Raises StrictJsonError."""
    try:
        value = json.loads(text, parse_constant=_refuse_constant, parse_float=_finite, object_pairs_hook=members)
        if "\\u" in text:
            # An unpaired surrogate can be written as an escape, and then neither be sent nor judged.
            json.dumps(value, ensure_ascii=False).encode()
    except json.JSONDecodeError as err:
        raise StrictJsonError(err.msg, err.lineno, err.colno) from err
    except UnicodeEncodeError as err:
        raise StrictJsonError("it contains an unpaired surrogate") from err
    except RecursionError as err:
        raise StrictJsonError("it is nested too deeply") from err
    except StrictJsonError:
        raise
    except ValueError as err:
        raise StrictJsonError("a number in it has too many digits") from err
    return value


def _refuse_constant(name: str) -> None:
    raise StrictJsonError(f"{name} is not a number")


def _finite(text: str) -> int | float:
    try:
        number = number_as_written(text)
    except ValueError as err:
        raise StrictJsonError(str(err)) from None
    if math.isinf(number):
        raise StrictJsonError(f"{bounded(text)} exceeds the range of a double")
    return number
