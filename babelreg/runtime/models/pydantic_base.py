"""The base of generated pydantic models: frozen, lossless, and as strict about types as JSON is.

A model never decides whether data is valid; ``contract`` does, by the JSON Schema. So models carry no bounds,
patterns or formats, keep what they do not know (as extras), and tell absent (``MISSING``) from null.
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
    # Type checkers refuse to change what was received. At run time pydantic handles lists and dictionaries at a
    # fraction of the time it takes for the abstract types; it makes them of tuples and other mappings too.
    _K, _T = TypeVar("_K"), TypeVar("_T")
    Sequence = Annotated[list[_T], Strict(False)]
    Mapping = Annotated[dict[_K, _T], Strict(False)]


class Model(BaseModel, frozen=True):
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
_MAX_PLACE = 200


def parse(model: type[M], data: Any) -> M:
    """``data``, valid by its schema, as a ``model``.

    Raises Reject for what rich types cannot hold, such as a leap second, and for models nested in each other more than
    250 deep, which pydantic takes for a circle; else there is nothing of the kind.
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
    """The start of the way to a value as a pointer, without what pydantic calls the members of unions."""
    found = ""
    for step in steps:
        try:
            data = data[step]
        except (KeyError, IndexError, TypeError):
            continue
        found += f"/{step}"
        if len(found) > _MAX_PLACE:
            return f"{found[:_MAX_PLACE]}…"
    return found


def dump(data: Model) -> dict[str, Any]:
    """``data`` as JSON values: what was never set is absent, what was not declared is kept."""
    # Without warnings: what does not fit its annotation is the contract's business, and a warning would quote it.
    return data.model_dump(by_alias=True, exclude_unset=True, warnings="none")


def message(model: type[M], *, urn: str, schema: MappingOf[str, Any], **how: Any) -> MessageType[M]:
    """The message whose data is ``model``; ``how`` as in :class:`MessageType`."""
    return register(MessageType(urn, model, schema, partial(parse, model), dump, **how))
