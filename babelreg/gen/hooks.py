"""Differences of a target from most others: each is a hook with a default, so that no other code names a target."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from babelreg.finding import Finding
    from babelreg.model import Message, Registry


@dataclass(frozen=True, slots=True)
class RunPlace:
    """The place of one run: the folder of the registry, the output folder, and a function that prints a note."""

    registry: Path
    out: Path
    note: Callable[[str], None]


def _output_folder(options: Mapping[str, Any]) -> str:
    return ""


def _no_inputs(registry: Registry, options: Mapping[str, Any], place: RunPlace) -> Mapping[str, Any]:
    return {}


def _no_findings(registry: Registry) -> Iterable[Finding]:
    return ()


def _no_note(place: RunPlace) -> None:
    return None


@dataclass(frozen=True, slots=True)
class TargetHooks:
    """The hooks of a target.

    ``aliases``: other words for the target. ``languages``: values of ``lang`` of the services that it generates code
    for; ``service_folder``: their output folder in a new ``babelreg.service.yaml``.

    ``own_folder`` returns the folder below ``--out`` that holds all files and the list of them, "" for ``--out``
    itself. A target with a folder of its own can share ``--out`` with other runs: each removes only its own old files.
    ``default_folder`` returns ``--out`` where none is named, from the folder of the registry; without it
    ``generated/TARGET``.

    ``unsupported`` returns the reason why no files can be generated from a message with a valid schema, or None. With
    this hook, such messages and those with an unusable schema are left out, and ``left_out`` of the options has the
    reasons by URN; without it, an unusable schema stops the run before a file is written.

    ``inputs`` returns further options for ``files``: values that depend on more than the registry and the options.
    ``outside_state`` returns a text that changes with them; without it, they are taken to depend on the options alone.
    ``findings`` returns findings about the registry, with paths relative to it. ``note`` returns a remark for the user
    after files were written. ``serve`` shows the files that its first argument returns, on a port, until the process
    ends.
    """

    aliases: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    service_folder: str = "."
    own_folder: Callable[[Mapping[str, Any]], str] = _output_folder
    default_folder: Callable[[Path], Path] | None = None
    unsupported: Callable[[Message], str | None] | None = None
    inputs: Callable[[Registry, Mapping[str, Any], RunPlace], Mapping[str, Any]] = _no_inputs
    outside_state: Callable[[Path], str] | None = None
    findings: Callable[[Registry], Iterable[Finding]] = _no_findings
    note: Callable[[RunPlace], str | None] = _no_note
    serve: Callable[[Callable[[], Mapping[str, str]], RunPlace, int], None] | None = None
