"""Advice on refused messages: an explanation and a command to paste."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from babelreg.contract.reason import REASONS
from babelreg.lake.report.redaction import shown_urn
from babelreg.model import Registry, Urn
from babelreg.suggest import closest
from babelreg.wire.format import CONTROL_MESSAGE
from babelreg.wire.formats.table import FORMATS

_UNSTORABLE = "the message is valid, but the columns of its table cannot store it"
_OURS = {
    "id_conflict": "a message with the same meta.id and different content was accepted before",
    CONTROL_MESSAGE: "the message controls a queue and has no payload, so it has no row in a table",
}


@dataclass(frozen=True, slots=True)
class ReportPaths:
    """Paths as the user wrote them, for commands to paste; ``registry`` is None if the command finds it."""

    output: str
    registry: str | None


@dataclass(frozen=True, slots=True)
class Advice:
    """A sentence on some reasons, with commands in backticks, and a command to paste."""

    reasons: tuple[str, ...]
    text: str
    command: str


def meaning(reason: str) -> str:
    """Return the short meaning of a reason."""
    if reason in REASONS:
        return REASONS[reason].meaning
    wire = next((wire.CODES[reason] for wire in FORMATS.values() if reason in wire.CODES), None)
    if wire is not None:
        return wire.meaning
    return _OURS.get(reason, _UNSTORABLE if reason.startswith("unstorable_") else "")


def advised(reasons: Mapping[str, str | None], registry: Registry | None, paths: ReportPaths) -> list[Advice]:
    """Return the advice for ``reasons``, in order; each maps to the URN with most of its messages.

    Reasons with the same advice are combined. The command validates such messages again, or prints them.
    """
    advice_by_text: dict[str, list[str]] = {}
    for reason, urn in reasons.items():
        advice_by_text.setdefault(_advice_for(reason, urn, registry, paths), []).append(reason)
    return [
        Advice(tuple(alike), text, (look if text.endswith(_SEE) else _redrive)(alike, paths))
        for text, alike in advice_by_text.items()
    ]


_SEE = "See them:"


def _advice_for(reason: str, urn: str | None, registry: Registry | None, paths: ReportPaths) -> str:
    kind = REASONS[reason].kind if reason in REASONS else ""
    message = registry.by_urn.get(urn) if registry and urn else None
    file = f"`{_below(paths, message.source.path)}`" if message else "its file in the registry"
    if reason == "id_conflict":
        return f"Make the producer give every message a unique id: later messages with the same id stay here. {_SEE}"
    if reason == "unmapped_name":
        return "Map the name to a URN: `wires:` in `babelreg.yaml`. Then:"
    if reason == CONTROL_MESSAGE:
        return f"Nothing is missing: such messages control a queue and have no data. {_SEE}"
    if not kind and any(reason in wire.CODES for wire in FORMATS.values()):
        return f"Make the sender follow the wire format, or ingest the folder with another `--wire`. {_SEE}"
    if kind == "poison":
        return f"Check the producer, or the program that recorded the messages; a redrive cannot repair bytes. {_SEE}"
    if reason.startswith("unstorable_"):
        return f"In {file}, choose a column type for such values (`x-spark-type`), or limit them. Then:"
    if kind == "unknown_urn" and registry and urn in registry.by_name:
        return "The registry now declares it. Validate them again:"
    if kind == "unknown_urn":
        near = _near(urn, registry)
        declare = f"Declare it{_file(urn, paths)}, or add it to the `aliases` of the message that it means"
        return f"{declare}, or make the producer send the intended URN{near}. Then:"
    if kind == "data":
        return f"Make the producer follow {file}, or allow it there and run `babelreg breaking`. Then:"
    return "Make the producer use a BabelQueue SDK, which writes the envelope. For fixed messages:"


def look(reasons: Sequence[str], paths: ReportPaths) -> str:
    """Return a command that prints the newest messages refused for ``reasons``, masked."""
    return _command("quarantine", reasons, paths)


def _redrive(reasons: Sequence[str], paths: ReportPaths) -> str:
    return _command("redrive", reasons, paths)


def _command(name: str, reasons: Sequence[str], paths: ReportPaths) -> str:
    registry = ["--registry", paths.registry] if paths.registry else []
    named = [word for reason in reasons for word in ("--reason", reason)]
    return shlex.join(["babelreg", "lake", name, *registry, "--lake", paths.output, *named])


def _near(urn: str | None, registry: Registry | None) -> str:
    """Return the most similar URN of the registry, in brackets."""
    near = closest(urn, registry.by_urn, 0.85) if urn and registry else None
    return f" (`{near}`?)" if near else ""


def _file(urn: str | None, paths: ReportPaths) -> str:
    if urn is None or shown_urn(urn) != urn:  # an identifying part of a URN must not become a file name
        return " in the registry"
    return f" in `{_below(paths, Urn.parse(urn).path)}`"


def _below(paths: ReportPaths, path: str) -> str:
    return f"{paths.registry}/{path}" if paths.registry else path
