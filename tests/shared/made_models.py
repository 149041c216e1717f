"""What ``gen python`` makes of one schema, imported: the way from a schema to its ``MessageType``, without a disk."""

from __future__ import annotations

import itertools
import re
import sys
import types
from decimal import Decimal
from typing import Any

from babelreg.finding import Place
from babelreg.gen.targets.python import target
from babelreg.model import Message, Registry, Urn
from babelreg.runtime.message import MessageType
from babelreg.schema.pointer import Pointer

URN = "urn:babel:test:made"
_NUMBERS = itertools.count()


class Written:
    """A source that exists only in a test."""

    path = "test/made.yaml"

    def place(self, pointer: Pointer = (), *, key: bool = False) -> Place:
        return Place(self.path)


def module(schema: Any, options: dict[str, str]) -> str:
    """The text of the module of a message whose data has this bundled schema."""
    made = Message(URN, Urn.parse(URN), Written(), "event", owner="t", data=schema, schema=schema)
    files = target.files(Registry("", messages=(made,)), options)
    return next(file.text for file in files if file.path == "messages/test_made.py")


def message(schema: Any, **options: str) -> MessageType[Any]:
    """The message, from its module: on this babelreg's runtime instead of a copy."""
    text = module(schema, options).replace("from babelreg_runtime.", "from babelreg.")
    text = re.sub(r"^from \._schemas\..*$", "SCHEMA = {}", text, flags=re.MULTILINE)
    name = f"generated_{next(_NUMBERS)}"
    sys.modules[name] = found = types.ModuleType(name)
    exec(compile(text, name, "exec"), found.__dict__)
    declared: MessageType[Any] = found.__dict__["TEST_MADE"]
    return declared


def same(one: Any, two: Any) -> bool:
    """JSON equality: 1 is 1.0, true is not 1, and no digit may be lost."""
    if isinstance(one, bool) or isinstance(two, bool) or type(one) is not type(two):
        numbers = isinstance(one, int | float) and isinstance(two, int | float)
        if numbers and not isinstance(one, bool) and not isinstance(two, bool):
            return Decimal(repr(one)) == Decimal(repr(two))  # 1e300 as it is written, not as a double
        return one is two
    if isinstance(one, dict):
        return one.keys() == two.keys() and all(same(one[key], two[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(two) and all(map(same, one, two))
    return bool(one == two)
