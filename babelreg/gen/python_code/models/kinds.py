"""The table of model kinds: what a user writes behind ``models:``, and the module that spells it."""

from __future__ import annotations

from babelreg.gen.python_code.models import msgspec_models, pydantic_models, typeddict_models
from babelreg.gen.python_code.models.kind import Kind

__all__ = ["KINDS"]

KINDS: dict[str, Kind] = {
    "pydantic": pydantic_models,
    "typeddict": typeddict_models,
    "msgspec": msgspec_models,
}
