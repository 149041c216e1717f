"""Values as YAML on one line, and which text every YAML reader takes for text when it is not quoted."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any

from babelreg.errors import BabelregError
from babelreg.lazy_pattern import LazyPattern
from babelreg.load.yaml import parser

_PLAIN = LazyPattern(r"[A-Za-z_][A-Za-z0-9_./+@-]*(?::[A-Za-z0-9_./+@-]+)*(?: [A-Za-z0-9_./+@-]+)*\Z")
# YAML 1.1, which most libraries read, and 1.2 taken together: a truth value, null, not a number, infinity, the default
# key, a merge key, integers of any base and of base 60, floats, dates and times.
_AMBIGUOUS = LazyPattern(
    r"""(?: y | n | yes | no | on | off | true | false | null | ~ | nan | inf | = | <<
      | [-+]? \.? (?:nan|inf)
      | [-+]? 0b [01_]+ | [-+]? 0x [0-9a-f_]+ | [-+]? 0o [0-7_]+
      | [-+]? [0-9][0-9_]* (?: :[0-5]?[0-9])* (?:\.[0-9_]*)? (?:e[-+]?[0-9]+)?
      | [-+]? \.[0-9_]+ (?:e[-+]?[0-9]+)?
      | [0-9]{4}-[0-9]{1,2}-[0-9]{1,2} (?: (?:t|[ \t]+) [0-9]{1,2}:[0-9]{2}:[0-9]{2} .* )?
    )?\Z""",
    re.IGNORECASE | re.VERBOSE,
)


@cache
def _unprintable() -> re.Pattern[str]:
    # Made when it is used: it costs more than all other patterns of lint together.
    return re.compile("[^\t\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")


class EditError(BabelregError):
    """An edit that cannot be made without touching something else."""


def ambiguous(text: str) -> bool:
    """Return True when some YAML reader takes the plain scalar ``text`` for something else than text."""
    return _AMBIGUOUS.match(text) is not None


def spell(value: Any) -> str:
    """Return ``value`` as YAML on one line: text plain where every reader takes it for text, else in double quotes.

    Raises EditError where it nests deeper than :data:`yaml.MAX_DEPTH`.
    """
    return _spelled(value, 0)


def quoted(text: str) -> str:
    """Return ``text`` in double quotes."""
    return _unprintable().sub(lambda m: f"\\U{ord(m[0]):08x}", json.dumps(text, ensure_ascii=False))


def block(value: Any, indent: str) -> str:
    """Return a list or mapping below its key, one member a line."""
    if isinstance(value, dict):
        return "".join(f"\n{indent}{spell(str(k))}: {spell(v)}" for k, v in value.items())
    return "".join(f"\n{indent}- {spell(item)}" for item in value)


def _spelled(value: Any, depth: int) -> str:
    if depth > parser.MAX_DEPTH:
        raise EditError(f"the value nests deeper than {parser.MAX_DEPTH} levels")
    if isinstance(value, str):
        return value if _PLAIN.match(value) and not ambiguous(value) else quoted(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_spelled(str(k), 0)}: {_spelled(v, depth + 1)}" for k, v in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_spelled(item, depth + 1) for item in value) + "]"
    return json.dumps(value, allow_nan=False)
