"""The base of generated pydantic models: lossless, and as strict about types as JSON is.

A model never decides whether data is valid; ``contract`` does, by the JSON Schema. So models carry no bounds,
patterns or formats, keep what they do not know (as extras), and tell absent (``MISSING``) from null.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from babelreg.runtime.message import MessageType, register

__all__ = ["Model", "dump", "message", "parse"]


class Model(BaseModel):
    """An object of a message's data. Unknown properties are kept in ``model_extra``."""

    model_config = ConfigDict(
        extra="allow",
        strict=True,  # "1" and true are no integers
        validate_by_name=True,  # class_="x" in Python ...
        validate_by_alias=True,  # ... is {"class": "x"} in JSON
        serialize_by_alias=True,
        protected_namespaces=(),
    )


M = TypeVar("M", bound=Model)


def parse(model: type[M], data: Any) -> M:
    """``data``, valid by its schema, as a ``model``."""
    try:
        return model.model_validate(data, by_alias=True, by_name=False)
    except ValidationError:
        # JSON Schema calls 1.0 an integer, and some encoders write it so; Python does not.
        return model.model_validate(_integral(data), by_alias=True, by_name=False)


def dump(data: Model) -> dict[str, Any]:
    """``data`` as JSON values: what was never set is absent, what was not declared is kept."""
    # Without warnings: what does not fit its annotation is the contract's business, and a warning would quote it.
    return data.model_dump(by_alias=True, exclude_unset=True, warnings="none")


def _integral(value: Any) -> Any:
    if isinstance(value, float):
        return int(value) if value.is_integer() else value
    if isinstance(value, list):
        return [_integral(item) for item in value]
    if isinstance(value, dict):
        return {key: _integral(item) for key, item in value.items()}
    return value


def message(model: type[M], *, urn: str, schema: Mapping[str, Any], **how: Any) -> MessageType[M]:
    """The message whose data is ``model``; ``how`` as in :class:`MessageType`."""
    return register(MessageType(urn, model, schema, partial(parse, model), dump, **how))
