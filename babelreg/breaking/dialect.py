"""The JSON Schema dialects that can be compared, under the names the command line uses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from babelreg.errors import UsageError

__all__ = ["DEFAULT", "DIALECTS", "Dialect", "chosen", "declared"]


@dataclass(frozen=True, slots=True)
class Dialect:
    """``number`` is what jsonschema_rs calls it, ``validator`` the name of its class there, ``peer`` in jsonschema."""

    name: str
    uri: str
    number: int
    validator: str
    peer: str


_TABLE = (
    Dialect("draft4", "http://json-schema.org/draft-04/schema#", 4, "Draft4Validator", "Draft4Validator"),
    Dialect("draft6", "http://json-schema.org/draft-06/schema#", 6, "Draft6Validator", "Draft6Validator"),
    Dialect("draft7", "http://json-schema.org/draft-07/schema#", 7, "Draft7Validator", "Draft7Validator"),
    Dialect(
        "draft2019-09",
        "https://json-schema.org/draft/2019-09/schema",
        19,
        "Draft201909Validator",
        "Draft201909Validator",
    ),
    Dialect(
        "draft2020-12",
        "https://json-schema.org/draft/2020-12/schema",
        20,
        "Draft202012Validator",
        "Draft202012Validator",
    ),
)
DIALECTS: Mapping[str, Dialect] = {dialect.name: dialect for dialect in _TABLE}
DEFAULT = DIALECTS["draft2020-12"]


def chosen(name: str) -> Dialect:
    """The dialect called ``name``.

    Raises UsageError naming those there are.
    """
    if name not in DIALECTS:
        raise UsageError(f"there is no dialect {name!r}", fix=f"one of {', '.join(DIALECTS)}")
    return DIALECTS[name]


def declared(schema: Any) -> Dialect | None:
    """The dialect that ``$schema`` names; the default where it is absent; None where it names another one."""
    said = schema.get("$schema") if isinstance(schema, dict) else None
    if not isinstance(said, str):
        return DEFAULT
    return next((dialect for dialect in _TABLE if dialect.uri.rstrip("#") == said.rstrip("#")), None)
