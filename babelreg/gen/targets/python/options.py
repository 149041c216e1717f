"""What a user may choose about generated Python: the settings below ``gen.python``, and what their values mean."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from babelreg.errors import UsageError
from babelreg.finding import Place
from babelreg.gen.package_name import package_name
from babelreg.gen.targets.python.models.kind import Kind
from babelreg.gen.targets.python.models.kinds import KINDS
from babelreg.model import Settings

__all__ = ["SETTINGS", "Options"]

SETTINGS = {
    "package": "the name of the package to write, by default messages",
    "models": "pydantic, typeddict or msgspec: what data is made of, by default pydantic",
    "formats": "text or typed: whether dates, UUIDs and decimals get types of their own, by default text",
}

_NEEDS = ("babelqueue==1.24.0", "jsonschema-rs==0.60.3", "orjson>=3.11,<4")

_IMPORTED = frozenset(["babelqueue", "jsonschema_rs", "msgspec", "orjson", "pydantic", "typing_extensions"])
_FORMATS = ("text", "typed")


@dataclass(frozen=True, slots=True)
class Options:
    """``models`` is a key of ``python_kinds.KINDS``; ``typed``: whether rich types are used where there are some."""

    package: str = "messages"
    models: str = "pydantic"
    typed: bool = False

    @classmethod
    def of(cls, given: Mapping[str, Any], written: Settings | None = None) -> Options:
        """The options as a user gave them; ``written`` are those of the registry, among them some of these.

        Raises UsageError for values that are none.
        """
        package = package_name(given.get("package", "messages"), "python", "messages", _IMPORTED)
        models = _one_of("models", given.get("models", "pydantic"), KINDS)
        typed = _one_of("formats", given.get("formats", "text"), _FORMATS) == "typed"
        if typed and models == "typeddict":
            raise UsageError(
                "typed dictionaries hold what JSON has, and JSON has no dates: formats: typed needs other models",
                fix="choose formats: text, or models: pydantic or msgspec",
                place=_place(written, "formats") or _place(written, "models"),
            )
        return cls(package, models, typed)

    @property
    def kind(self) -> Kind:
        """How models are spelled."""
        return KINDS[self.models]

    @property
    def needs(self) -> tuple[str, ...]:
        """What a service has to install to use the package, as pip takes it."""
        return (*_NEEDS, *self.kind.requires)


def _place(written: Settings | None, name: str) -> Place | None:
    """Where the registry says ``name``, if it does."""
    if written is None or written.source is None or name not in (written.gen.get("python") or {}):
        return None
    return written.source.place(("gen", "python", name))


def _one_of(name: str, value: Any, known: Iterable[str]) -> str:
    if not isinstance(value, str) or value not in known:
        raise UsageError(
            f"{name} cannot be {value!r}", fix=f"choose one of {', '.join(known)}: gen.python.{name} or --{name}"
        )
    return value
