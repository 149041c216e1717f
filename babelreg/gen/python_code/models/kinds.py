"""The table of kinds of models: the values of the option ``models`` and their modules."""

from __future__ import annotations

from babelreg.gen.python_code.models import pydantic_models, typeddict_models
from babelreg.gen.python_code.models.kind import Kind

KINDS: dict[str, Kind] = {
    "pydantic": pydantic_models,
    "typeddict": typeddict_models,
}
