"""What to do about messages that were refused: in words, and as lines to paste."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from babelreg.contract.reason import REASONS
from babelreg.model import Registry, Urn
from babelreg.spark.report.redaction import shown_urn
from babelreg.suggest import closest
from babelreg.wire.formats import FORMATS

__all__ = ["Advice", "Where", "advised", "look", "meaning"]

_UNSTORABLE = "the message is valid, but no column of its table can hold it"
_OURS = {
    "id_conflict": "another message with the same meta.id and other content was accepted before",
    "control_message": "the message controls a queue and has no payload, so no row in a table",
}


@dataclass(frozen=True, slots=True)
class Where:
    """How the user called the folders, as the lines to paste name them; ``registry`` is None where it need not be."""

    output: str
    registry: str | None


@dataclass(frozen=True, slots=True)
class Advice:
    """One sentence about some reasons, and the line to paste after it; commands in it stand between backticks."""

    reasons: tuple[str, ...]
    text: str
    command: str


def meaning(reason: str) -> str:
    """What a reason means, in a few words."""
    if reason in REASONS:
        return REASONS[reason].meaning
    wire = next((wire.CODES[reason] for wire in FORMATS.values() if reason in wire.CODES), None)
    if wire is not None:
        return wire.meaning
    return _OURS.get(reason, _UNSTORABLE if reason.startswith("unstorable_") else "")


def advised(reasons: Mapping[str, str | None], registry: Registry | None, where: Where) -> list[Advice]:
    """What mends what was refused, in the order of ``reasons``: each with the URN that has most of it.

    Reasons with one cure are told together. The line judges such messages again; where that cannot help it shows them.
    """
    cures: dict[str, list[str]] = {}
    for reason, urn in reasons.items():
        cures.setdefault(_cure(reason, urn, registry, where), []).append(reason)
    return [
        Advice(tuple(alike), text, (look if text.endswith(_SEE) else _redrive)(alike, where))
        for text, alike in cures.items()
    ]


_SEE = "See them:"


def _cure(reason: str, urn: str | None, registry: Registry | None, where: Where) -> str:
    kind = REASONS[reason].kind if reason in REASONS else ""
    message = registry.by_urn.get(urn) if registry and urn else None
    file = f"`{_below(where, message.source.path)}`" if message else "its file in the registry"
    if reason == "id_conflict":
        return f"Let the producer give every message an id of its own: the second message of an id stays here. {_SEE}"
    if reason == "unmapped_name":
        return "Map the name to a URN: `wires:` in `babelreg.yaml`. Then:"
    if reason == "control_message":
        return f"Nothing is missing: such messages control a queue, and carry no data. {_SEE}"
    if not kind and any(reason in wire.CODES for wire in FORMATS.values()):
        return f"Let the sender keep to the wire format, or ingest its folder with another `--wire`. {_SEE}"
    if kind == "poison":
        return f"Look at the producer, or at what recorded the messages: judging again does not mend bytes. {_SEE}"
    if reason.startswith("unstorable_"):
        return f"Let {file} ask for a column that holds such values (`x-spark-type`), or bound them there. Then:"
    if kind == "unknown_urn":
        near = _near(urn, registry)
        return f"Declare it{_file(urn, where)}, or let the producer send the URN that it means{near}. Then:"
    if kind == "data":
        return f"Let the producer keep to {file}, or allow it there and run `babelreg breaking`. Then:"
    return "Let the producer send through an SDK of BabelQueue, which writes the envelope. What was mended:"


def look(reasons: Sequence[str], where: Where) -> str:
    """A line that prints the newest messages refused for ``reasons`` as they are, for who may see them."""
    which = f"q.reason == {reasons[0]!r}" if len(reasons) == 1 else f"q.reason.isin({list(reasons)})"
    program = (
        "import pandas; from babelreg.spark import files; "
        f"q = pandas.read_parquet(files({where.output!r}, 'quarantine')); "
        f"print(q[{which}][['source_file', 'source_offset', 'body']].tail(5).to_string())"
    )
    plain = not any(sign in program for sign in '"$`\\!')
    return f'python -c "{program}"' if plain else f"python -c {shlex.quote(program)}"


def _redrive(reasons: Sequence[str], where: Where) -> str:
    registry = ["--registry", where.registry] if where.registry else []
    named = [word for reason in reasons for word in ("--reason", reason)]
    return shlex.join(["babelreg", "spark", "redrive", *registry, "--lake", where.output, *named])


def _near(urn: str | None, registry: Registry | None) -> str:
    """The message of the registry whose URN is nearly that, in brackets."""
    near = closest(urn, registry.by_urn, 0.85) if urn and registry else None
    return f" (`{near}`?)" if near else ""


def _file(urn: str | None, where: Where) -> str:
    if urn is None or shown_urn(urn) != urn:  # no file is to be named by what tells one thing from others
        return " in the registry"
    return f" in `{_below(where, Urn.parse(urn).path)}`"


def _below(where: Where, path: str) -> str:
    return f"{where.registry}/{path}" if where.registry else path
