"""What to do about messages that were refused: in words, and as lines to paste."""

from __future__ import annotations

import shlex
from dataclasses import dataclass

from babelreg.contract.reason import REASONS
from babelreg.model import Registry, Urn
from babelreg.spark.report.shape import shown_urn

__all__ = ["Advice", "Where", "advice", "look", "meaning"]

_UNSTORABLE = "the message is valid, but no column of its table can hold it"
_OURS = {
    "id_conflict": "another message with the same meta.id and other content was accepted before",
}


@dataclass(frozen=True, slots=True)
class Where:
    """How the user called the folders, as the lines to paste name them; ``registry`` is None where it need not be."""

    output: str
    registry: str | None


@dataclass(frozen=True, slots=True)
class Advice:
    """One sentence, and the line to paste after it: commands in the sentence stand between backticks."""

    text: str
    command: str


def meaning(reason: str) -> str:
    """What a reason means, in a few words."""
    if reason in REASONS:
        return REASONS[reason].meaning
    return _OURS.get(reason, _UNSTORABLE if reason.startswith("unstorable_") else "")


def advice(reason: str, urn: str | None, registry: Registry | None, where: Where) -> Advice:
    """What mends messages of ``urn`` that were refused for ``reason``, and the line that judges them again then.

    Where judging again cannot help, the line shows the messages.
    """
    kind = REASONS[reason].kind if reason in REASONS else ""
    message = registry.by_urn.get(urn) if registry and urn else None
    file = f"`{_below(where, message.source.path)}`" if message else "its file in the registry"
    if reason == "id_conflict":
        text = "Let the producer give every message an id of its own: the second message of an id stays here. See them:"
        return Advice(text, look(reason, where))
    if kind == "poison":
        text = "Look at the producer, or at what recorded the messages: judging again does not mend bytes. See them:"
        return Advice(text, look(reason, where))
    if reason.startswith("unstorable_"):
        text = f"Let {file} ask for a column that holds such values (`x-spark-type`), or bound them there. Then:"
    elif kind == "unknown_urn":
        text = f"Declare it{_file(urn, where)}, or let the producer send the URN that it means. Then:"
    elif kind == "data":
        text = f"Let the producer keep to {file}, or allow it there and run `babelreg breaking`. Then:"
    else:
        text = "Let the producer send through an SDK of BabelQueue, which writes the envelope. What was mended:"
    return Advice(text, _redrive(reason, where))


def look(reason: str, where: Where) -> str:
    """A line that prints the newest messages refused for ``reason`` as they are, for who may see them."""
    program = (
        "import pandas; from babelreg.spark import files; "
        f"q = pandas.read_parquet(files({where.output!r}, 'quarantine')); "
        f"print(q[q.reason == {reason!r}][['source_file', 'source_offset', 'body']].tail(5).to_string())"
    )
    plain = not any(sign in program for sign in '"$`\\!')
    return f'python -c "{program}"' if plain else f"python -c {shlex.quote(program)}"


def _redrive(reason: str, where: Where) -> str:
    registry = ["--registry", where.registry] if where.registry else []
    return shlex.join(["babelreg", "spark", "redrive", *registry, "--output", where.output, "--reason", reason])


def _file(urn: str | None, where: Where) -> str:
    if urn is None or shown_urn(urn) != urn:  # no file is to be named by what tells one thing from others
        return " in the registry"
    return f" in `{_below(where, Urn.parse(urn).path)}`"


def _below(where: Where, path: str) -> str:
    return f"{where.registry}/{path}" if where.registry else path
