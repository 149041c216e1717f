"""Options of targets: keys below ``gen.<target>`` in ``babelreg.yaml``, and options of ``babelreg gen``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from babelreg.errors import UsageError
from babelreg.suggest import closest

if TYPE_CHECKING:
    from babelreg.finding import Place
    from babelreg.model import Registry


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a target.

    ``key`` is its name below ``gen.<target>`` and, with ``command_line``, that of the option :attr:`flag`.
    ``help`` is a sentence for ``--help``. ``choices`` are the allowed values, empty where every text is one; a boolean
    ``default`` allows true and false. ``metavar`` is the placeholder of the value in ``--help``. ``removed`` are values
    of earlier versions, each with the reason why it is not offered any more.
    """

    key: str
    help: str
    default: Any = None
    choices: tuple[str, ...] = ()
    command_line: bool = False
    metavar: str | None = None
    removed: Mapping[str, str] = field(default_factory=dict)

    @property
    def flag(self) -> str:
        """The option of ``babelreg gen``."""
        return f"--{self.key.replace('_', '-')}"

    def value(self, options: Mapping[str, Any], target: str) -> Any:
        """Return the value among ``options``, those of ``target``, or the default.

        Raises UsageError for a value that is not allowed.
        """
        value = options.get(self.key, self.default)
        self.refuse_removed(value)
        if self.choices and (not isinstance(value, str) or value not in self.choices):
            raise UsageError(
                f"{self.key} cannot be {value!r}",
                fix=f"choose one of {', '.join(self.choices)}: gen.{target}.{self.key} or {self.flag}",
            )
        if isinstance(self.default, bool) and not isinstance(value, bool):
            raise UsageError(f"gen.{target}.{self.key} must be true or false", fix=f"{self.key}: true")
        return value

    def refuse_removed(self, value: Any) -> None:
        """Raise UsageError for a value of earlier versions."""
        if isinstance(value, str) and value in self.removed:
            raise UsageError(
                f"{self.key}: {value} is no longer supported: {self.removed[value]}",
                fix=f"choose {' or '.join(self.choices)}",
            )


CLOSED_ENUMS = Option(
    "closed_enums",
    "Keep `enum` where `x-open-enum: true` admits new values, so that other validators refuse them.",
    False,
    command_line=True,
)
"""The option of every export of schemas."""

REGISTRY_FOLDER = Option(
    "folder",
    "The path of the registry in its repository. Default: determined with git.",
    command_line=True,
    metavar="PATH",
)
"""The option of targets whose file belongs to the repository."""


def resolve(name: str, options: Iterable[Option], registry: Registry, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of ``options`` in one run: ``gen.<name>`` of ``babelreg.yaml``, overridden by ``given``.

    Raises UsageError for a key that is not among them.
    """
    known = [option.key for option in options]
    written = registry.settings.gen.get(name) or {}
    if not isinstance(written, Mapping):
        raise UsageError(f"gen.{name} must be a mapping", place=_place(registry, ("gen", name)))
    for key in written:
        if key not in known:
            raise UsageError(
                f"gen.{name} has no setting {key!r}",
                place=_place(registry, ("gen", name, str(key)), key=True),
                fix=_suggest(str(key), known),
            )
    for key in given:
        if key not in known:
            raise UsageError(f"target {name} has no option --{key.replace('_', '-')}", fix=_suggest(key, known))
    return {**written, **given}


def _place(registry: Registry, pointer: tuple[str, ...], *, key: bool = False) -> Place | None:
    source = registry.settings.source
    return source.place(pointer, key=key) if source else None


def _suggest(key: str, known: Iterable[str]) -> str:
    names = sorted(known)
    near = closest(key, names)
    return f"did you mean {near!r}?" if near else f"its settings: {', '.join(names) or 'none'}"
