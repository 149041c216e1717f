"""A published URN was removed, or retired while services still produce or consume it.

Messages with it are still sent, queued or stored, and their readers no longer find a contract. Even a message that
nobody uses is not deleted: it is retired, and stays as a tombstone so that its URN is never reused.

Services under `producers` and `consumers` of the published file count until a separate change removes them: the change
that retires a message cannot also remove its users. With `--traffic FILE`, recorded messages count, too. For a folder
of plain schemas, the rule reports a file that was removed or renamed.

Bad::

    # before
    status: active
    # after
    (the file is gone)

Good::

    # before
    status: active
    # after
    status: deprecated
    sunset: "2099-12-31"

Fix::

    Restore the file, deprecate the message and set a `sunset`. When a producer or consumer has migrated, remove its
    name. Once nobody is left, turn the file into a tombstone: `status: retired` and `retired_on`.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.breaking.changes.pairs import Pair
from babelreg.breaking.rules.rule import Change
from babelreg.finding import Severity

severity = Severity.ERROR


def check(pair: Pair) -> Iterator[Change]:
    if pair.new_registry.plain is not None:
        yield from _of_schema(pair)
    elif pair.new is None:
        keep = f"restore {pair.old.source.path}; once nobody uses it, set `status: retired` and `retired_on: DATE`"
        yield Change(f"{pair.urn} was removed{_while(pair)}", keep=keep, in_file=True, mint=False)
    elif pair.new.status == "retired" and pair.old.status != "retired" and _while(pair):
        keep = "keep it deprecated with a sunset until they have migrated"
        message = f"{pair.urn} was retired{_while(pair)}"
        yield Change(message, ("status",), ("status",), in_file=True, keep=keep, mint=False)


def _of_schema(pair: Pair) -> Iterator[Change]:
    """Yield what became of a plain schema that has no file of its name any more."""
    published = pair.old.source.path
    if pair.new is None:
        part = pair.old.urn.removeprefix(published)
        if published not in pair.new_registry.files:
            yield Change(f"{published} was removed", keep=f"restore {published}", in_file=True, mint=False)
        elif part:
            text = f"{published} no longer has the schema '{part}'"
            yield Change(text, keep=f"restore it in {published}", in_file=True, mint=False)
        else:
            text = f"{published} no longer contains a schema"
            yield Change(text, keep="restore the schema", in_file=True, mint=False)
    elif pair.new.urn != pair.old.urn:
        text = f"{pair.old.urn} was renamed to {pair.new.urn}: those who read it by path no longer find it"
        keep = "keep a copy under the published name"
        yield Change(text, keep=keep, in_file=True, mint=False, severity=Severity.WARNING)


def _while(pair: Pair) -> str:
    """Return `` while a and b still consume it and c still produces it``; empty where nobody does."""
    consumers = sorted({*pair.old.declared_consumers, *pair.new_registry.consumers(pair.urn)})
    producers = sorted({*pair.old.producers, *(pair.new.producers if pair.new else ())})
    uses = [f"{' and '.join(names)} still {_many(verb, names)} it"
            for names, verb in ((consumers, "consume"), (producers, "produce")) if names]  # fmt: skip
    return f" while {' and '.join(uses)}" if uses else ""


def _many(verb: str, names: list[str]) -> str:
    return f"{verb}s" if len(names) == 1 else verb
