"""The base of generated pydantic models: frozen, lossless, and strict about JSON types.

``contract`` validates messages, by the JSON Schema. So models keep undeclared properties (as extras) and distinguish
absent (``MISSING``) from null. The limits of their fields hold where pydantic validates, as in FastAPI and in
``model_validate``, and for ``Order(..., validate=True)``. Received data may be beyond them, and so may the arguments of
a constructor: a producer refuses these with the words of the contract, and tests need them.

``MISSING`` is false, unlike pydantic's own: ``if order.email:`` asks for an e-mail that was sent and is not empty, for
type checkers, too. Models hold pydantic's, which it neither parses nor dumps; who reads a property gets ours.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Mapping as MappingOf
from dataclasses import InitVar
from decimal import Decimal
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, Literal, Self, TypeVar

from pydantic import MISSING as _PYDANTIC_MISSING
from pydantic import BaseModel, ConfigDict, Strict, ValidationError

from babelreg.runtime.errors import Reject
from babelreg.runtime.message import MessageType, register
from babelreg.runtime.models.field_limits import validator_without_limits
from babelreg.schema.values import integral, rebuilt
from babelreg.suggest import closest

__all__ = ["MISSING", "Mapping", "Missing", "Model", "OpenModel", "Sequence", "dump", "message", "parse"]


class Missing(Enum):
    """The type of a property that was not sent, whose only value is ``MISSING``."""

    MISSING = "MISSING"

    def __bool__(self) -> Literal[False]:
        return False

    def __repr__(self) -> str:
        return "MISSING"

    def __reduce_ex__(self, proto: object) -> tuple[Any, ...]:
        return _missing, ()  # by its name the class would not be found: see below


MISSING: Final = Missing.MISSING
"""The value of a property that was not sent."""


def _missing() -> Missing:
    return MISSING


if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
else:
    # In an annotation it stands for pydantic's own, which no value is parsed into.
    Missing = _PYDANTIC_MISSING

    # Type checkers reject changes to received data. At run time pydantic parses lists and dictionaries in a fraction of
    # the time that the abstract types take; it converts tuples and other mappings to them.
    _K, _T = TypeVar("_K"), TypeVar("_T")
    Sequence = Annotated[list[_T], Strict(False)]
    Mapping = Annotated[dict[_K, _T], Strict(False)]


class Model(BaseModel, frozen=True):
    """An object in the data of a message.

    Undeclared properties of received data are kept in ``model_extra``; the constructor refuses them.
    """

    model_config = ConfigDict(
        extra="allow",
        strict=True,  # "1" and true are not integers
        validate_by_name=True,  # class_="x" in Python ...
        validate_by_alias=True,  # ... is {"class": "x"} in JSON
        serialize_by_alias=True,
        protected_namespaces=(),
    )
    _keywords: ClassVar[frozenset[str] | None] = frozenset()

    def __init_subclass__(cls, **settings: Any) -> None:
        super().__init_subclass__(**settings)
        for name, value in list(vars(cls).items()):
            if value is MISSING:
                setattr(cls, name, _PYDANTIC_MISSING)  # before pydantic reads the defaults

    @classmethod
    def __pydantic_init_subclass__(cls, **settings: Any) -> None:
        super().__pydantic_init_subclass__(**settings)
        fields = cls.model_fields
        if cls._keywords is not None:
            cls._keywords = frozenset(fields).union(info.alias for info in fields.values() if info.alias is not None)
        for name, info in fields.items():
            if info.default is _PYDANTIC_MISSING:
                setattr(cls, name, _OptionalProperty(name))

    if TYPE_CHECKING:  # who derive the constructor of each class from its fields
        validate: InitVar[bool] = False
    else:

        def __init__(self, /, **data):
            keywords = self._keywords
            validate = "validate" in data and data.pop("validate")  # a property of this name is ``validate_``
            if keywords is not None and not keywords.issuperset(data):
                raise _unexpected(type(self).__name__, data, keywords)
            for value in data.values():
                if value is MISSING:
                    data = {name: value for name, value in data.items() if value is not MISSING}
                    break
            try:
                self.__pydantic_validator__.validate_python(data, self_instance=self)
                if validate:  # what the models in it hold, too
                    self.__pydantic_validator__.validate_python(dump(self), by_alias=True, by_name=False)
                return
            except ValidationError:
                if validate:
                    raise
            validator_without_limits(type(self)).validate_python(data, self_instance=self)

        __init__.__pydantic_base_init__ = True  # parsing does not call it

    def model_copy(self, *, update: MappingOf[str, Any] | None = None, deep: bool = False) -> Self:
        """Return a copy with the properties of ``update``, which is not validated; ``MISSING`` removes one."""
        values = {name: _PYDANTIC_MISSING if value is MISSING else value for name, value in (update or {}).items()}
        return super().model_copy(update=values, deep=deep)


class _OptionalProperty:
    """A property that may be absent: the value in the model, with our ``MISSING`` for pydantic's."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, model: BaseModel | None, kind: type[BaseModel]) -> Any:
        if model is None:
            raise AttributeError(self._name)  # as for any field; pydantic would take another answer for a default
        try:
            value = model.__dict__[self._name]
        except KeyError:
            raise AttributeError(self._name) from None
        return MISSING if value is _PYDANTIC_MISSING else value

    def __set__(self, model: BaseModel, value: Any) -> None:
        vars(model)[self._name] = value


class OpenModel(Model, frozen=True):
    """An object whose schema admits further properties: its constructor takes any."""

    _keywords = None


def _unexpected(name: str, data: MappingOf[str, Any], keywords: frozenset[str]) -> TypeError:
    """Return the error that Python raises for an unknown keyword of a function, with a suggestion."""
    unknown = next(keyword for keyword in data if keyword not in keywords)
    guess = closest(unknown, sorted(keywords))
    hint = f"; did you mean {guess!r}?" if guess else ""
    return TypeError(f"{name}() got an unexpected keyword argument {unknown[:100]!r}{hint}")


M = TypeVar("M", bound=Model)
_MAX_PLACE = 200


def parse(model: type[M], data: Any) -> M:
    """Return ``data``, valid by its schema, as a ``model``.

    A number that no float returns becomes the nearest float where the model has a float, and is a Decimal elsewhere.
    Raises Reject only for values that typed formats cannot represent, such as a leap second, and for models that nest
    more than 250 deep, which pydantic takes for a cycle.
    """
    try:
        return model.model_validate(data, by_alias=True, by_name=False)
    except ValidationError as err:
        data = _with_floats(integral(data), err)
    try:
        parsed: M = validator_without_limits(model).validate_python(data, by_alias=True, by_name=False)
        return parsed
    except ValidationError as err:
        first = err.errors(include_url=False, include_context=False, include_input=False)[0]
        raise Reject(f"{model.__name__} cannot represent the value at {_place(data, first['loc'])}") from None


def _with_floats(data: Any, refused: ValidationError) -> Any:
    """Return ``data`` with the nearest float for each Decimal that the model refused."""
    errors = refused.errors(include_url=False, include_context=False, include_input=False)
    paths = {tuple(steps) for steps, value in (_path(data, error["loc"]) for error in errors) if type(value) is Decimal}
    if not paths:
        return data
    data = rebuilt(data, lambda number: number)
    for *steps, last in paths:
        holder = data
        for step in steps:
            holder = holder[step]
        holder[last] = float(holder[last])
    return data


def _path(data: Any, steps: Iterable[int | str]) -> tuple[list[int | str], Any]:
    """Return the path to a value, without the steps that pydantic adds for the members of unions, and the value."""
    path = []
    for step in steps:
        try:
            data = data[step]
        except (KeyError, IndexError, TypeError):
            continue
        path.append(step)
    return path, data


def _place(data: Any, steps: Iterable[int | str]) -> str:
    """Return the pointer to a value, bounded."""
    place = "".join(f"/{step}" for step in _path(data, steps)[0])
    return place if len(place) <= _MAX_PLACE else f"{place[:_MAX_PLACE]}…"


def dump(data: Model) -> dict[str, Any]:
    """Return ``data`` as JSON values, without properties that were never set, with undeclared ones."""
    # Without warnings: the contract reports values that do not fit, and a warning would quote them.
    return data.model_dump(by_alias=True, exclude_unset=True, warnings="none")


def message(model: type[M], *, urn: str, schema: MappingOf[str, Any], **facts: Any) -> MessageType[M]:
    """Register and return the message whose data is ``model``; ``facts`` are the other fields of MessageType."""
    return register(MessageType(urn, model, schema, partial(parse, model), dump, **facts))
