"""Options of target python, which also determine the Python that other targets show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from babelreg.errors import UsageError
from babelreg.gen.option import Option
from babelreg.gen.python_code import requirements
from babelreg.gen.python_code.package_name import package_name
from babelreg.wire.format import NATIVE
from babelreg.wire.formats.table import FORMATS as FORMATS_BY_NAME

if TYPE_CHECKING:
    from babelreg.finding import Place
    from babelreg.gen.python_code.models.kind import Kind
    from babelreg.model import Settings

_WITH_CODECS = [name for name, wire in FORMATS_BY_NAME.items() if wire.names is not None and wire.names.codecs]


def _listed(names: list[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}"


PACKAGE = Option("package", "The name of the package to write.", "messages", command_line=True, metavar="NAME")
MODELS = Option(
    "models",
    "The kind of class for data.",
    "pydantic",
    ("pydantic", "typeddict"),
    command_line=True,
    removed={"msgspec": "its structs dropped properties that the schema does not declare"},
)
FORMATS = Option(
    "formats",
    "typed: dates, UUIDs and decimals get their own Python types, which preserve the value but not its spelling.",
    "text",
    ("text", "typed"),
    command_line=True,
)
WIRE = Option(
    "wire",
    f"The wire format. {_listed(_WITH_CODECS)}: typed codecs of the messages that `wires:` maps.",
    NATIVE,
    (NATIVE, *_WITH_CODECS),
    command_line=True,
    metavar="FORMAT",
)
RUNTIME = Option(
    "runtime",
    "The runtime of generated code: the package babelreg-runtime, or a copy in the generated package.",
    "package",
    ("package", "vendored"),
    command_line=True,
)
OPTIONS = (PACKAGE, MODELS, FORMATS, WIRE, RUNTIME)

_INSTALLED = "babelreg_runtime"
_VENDORED = "._babelreg"
_IMPORTED = frozenset(["babelqueue", "jsonschema_rs", "orjson", "pydantic", "typing_extensions", _INSTALLED])


@dataclass(frozen=True, slots=True)
class PackageOptions:
    """The options of a package. ``models`` is a key of ``kinds.KINDS``; ``typed`` is True for ``formats: typed``.

    ``vendored`` is True for a package that contains a copy of the runtime.
    """

    package: str = PACKAGE.default
    models: str = MODELS.default
    typed: bool = False
    wire: str = WIRE.default
    vendored: bool = False

    @classmethod
    def of(cls, given: Mapping[str, Any], settings: Settings | None = None) -> PackageOptions:
        """Return the options ``given`` by a user; ``settings`` are those of the registry, for the place of an error.

        Raises UsageError for invalid values.
        """
        package = package_name(PACKAGE.value(given, "python"), "python", PACKAGE.default, _IMPORTED)
        models = MODELS.value(given, "python")
        typed = FORMATS.value(given, "python") == "typed"
        if typed and models == "typeddict":
            raise UsageError(
                "typed dictionaries contain JSON values, and JSON has no dates: formats: typed needs other models",
                fix="choose formats: text, or models: pydantic",
                place=_place(settings, "formats") or _place(settings, "models"),
            )
        vendored = RUNTIME.value(given, "python") == "vendored"
        return cls(package, models, typed, WIRE.value(given, "python"), vendored)

    @property
    def foreign(self) -> bool:
        """True for a package of codecs of a foreign wire format."""
        return self.wire != NATIVE

    @property
    def kind(self) -> Kind:
        """The kind of models."""
        from babelreg.gen.python_code.models.kinds import KINDS

        return KINDS[self.models]

    @property
    def extras(self) -> tuple[str, ...]:
        """The extras of the runtime that the package needs."""
        return (*(() if self.foreign else ("broker",)), self.models)

    @property
    def needs(self) -> tuple[str, ...]:
        """The requirements of a package with a copy of the runtime, for pip."""
        broker = () if self.foreign else requirements.BROKER
        return (*broker, *requirements.CONTRACT, *requirements.MODELS[self.models])

    def runtime_module(self, module: str) -> str:
        """Return ``module`` of the runtime, such as ``runtime.testing``, as the package imports it."""
        return f"{_VENDORED if self.vendored else _INSTALLED}.{module}"


def _place(settings: Settings | None, name: str) -> Place | None:
    """Return the place of ``name`` in the registry's settings, if it is there."""
    if settings is None or settings.source is None or name not in (settings.gen.get("python") or {}):
        return None
    return settings.source.place(("gen", "python", name))
