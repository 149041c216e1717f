"""The table of model kinds: what a user writes behind ``models:``, and the module that spells it."""

from __future__ import annotations

from babelreg.gen.targets import python_msgspec, python_pydantic, python_typeddict
from babelreg.gen.targets.python_kind import Kind

__all__ = ["KINDS"]

KINDS: dict[str, Kind] = {
    "pydantic": python_pydantic,
    "typeddict": python_typeddict,
    "msgspec": python_msgspec,
}
