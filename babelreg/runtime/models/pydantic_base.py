"""The base of generated pydantic models: frozen, lossless, and strict about JSON types.

Models do not validate; ``contract`` does, by the JSON Schema. So they have no bounds, patterns or formats, keep
undeclared properties (as extras), and distinguish absent (``MISSING``) from null.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Mapping as MappingOf
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Strict, ValidationError

from babelreg.runtime.errors import Reject
from babelreg.runtime.message import MessageType, register
from babelreg.schema.values import integral

__all__ = ["Mapping", "Model", "Sequence", "dump", "message", "parse"]

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
else:
    # Type checkers reject changes to received data. At run time pydantic parses lists and dictionaries in a fraction of
    # the time that the abstract types take; it converts tuples and other mappings to them.
    _K, _T = TypeVar("_K"), TypeVar("_T")
    Sequence = Annotated[list[_T], Strict(False)]
    Mapping = Annotated[dict[_K, _T], Strict(False)]


class Model(BaseModel, frozen=True):
    """An object in the data of a message. Undeclared properties are kept in ``model_extra``."""

    model_config = ConfigDict(
        extra="allow",
        strict=True,  # "1" and true are not integers
        validate_by_name=True,  # class_="x" in Python ...
        validate_by_alias=True,  # ... is {"class": "x"} in JSON
        serialize_by_alias=True,
        protected_namespaces=(),
    )


M = TypeVar("M", bound=Model)
_MAX_PLACE = 200


def parse(model: type[M], data: Any) -> M:
    """Return ``data``, valid by its schema, as a ``model``.

    Raises Reject only for values that typed formats cannot represent, such as a leap second, and for models that nest
    more than 250 deep, which pydantic takes for a cycle.
    """
    try:
        return model.model_validate(data, by_alias=True, by_name=False)
    except ValidationError:
        pass
    try:
        return model.model_validate(integral(data), by_alias=True, by_name=False)
    except ValidationError as err:
        first = err.errors(include_url=False, include_context=False, include_input=False)[0]
        raise Reject(f"{model.__name__} has no room for the value at {_place(data, first['loc'])}") from None


def _place(data: Any, steps: Iterable[int | str]) -> str:
    """Return the pointer to a value, bounded, without the steps that pydantic adds for the members of unions."""
    place = ""
    for step in steps:
        try:
            data = data[step]
        except (KeyError, IndexError, TypeError):
            continue
        place += f"/{step}"
        if len(place) > _MAX_PLACE:
            return f"{place[:_MAX_PLACE]}…"
    return place


def dump(data: Model) -> dict[str, Any]:
    """Return ``data`` as JSON values, without properties that were never set, with undeclared ones."""
    # Without warnings: the contract reports values that do not fit, and a warning would quote them.
    return data.model_dump(by_alias=True, exclude_unset=True, warnings="none")


def message(model: type[M], *, urn: str, schema: MappingOf[str, Any], **facts: Any) -> MessageType[M]:
    """Register and return the message whose data is ``model``; ``facts`` are the other fields of MessageType."""
    return register(MessageType(urn, model, schema, partial(parse, model), dump, **facts))
