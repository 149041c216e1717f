"""Inputs of the catalog besides the registry: verdicts on new versions, and the commits that changed each message."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from babelreg.containment import Comparison
    from babelreg.gen.hooks import RunPlace
    from babelreg.model import Commit, Message, Registry


def comparisons(registry: Registry) -> dict[str, Comparison]:
    """Return the verdicts on each message and the one that it supersedes, by the rules of its context."""
    from babelreg.containment import compare

    results: dict[str, Comparison] = {}
    for message in registry.messages:
        old = registry.by_urn.get(message.supersedes or "")
        if message.schema is None or old is None or old.schema is None:
            continue
        reader: Any = registry.compatibility(message.context).reader
        results[message.urn] = compare(old.schema, message.schema, reader=reader, formats="asserted")
    return results


def history(registry: Registry, place: RunPlace) -> dict[str, Any]:
    """Return the commits of each message, newest first; only a note where the clone does not have them."""
    from babelreg.git.command import GitError
    from babelreg.git.log import commits, position
    from babelreg.model import Commit

    at = position(place.registry)
    if at is None or at[1]:
        why = "the registry is not in a git repository" if at is None else "the clone is shallow"
        fix = "" if at is None else "; run `git fetch --unshallow`"
        place.note(f"no history: {why}{fix}")
        return {"note": f"The history of messages is left out: {why}."}
    try:
        log = [Commit(*fields) for fields in commits(place.registry)]
    except GitError as err:
        place.note(f"no history: {err}")
        return {"note": "The history of messages is left out: git cannot read it."}
    return {"commits": _by_message(registry, log)}


def _by_message(registry: Registry, log: list[Commit]) -> dict[str, list[Commit]]:
    by_path: dict[str, list[int]] = {}
    for number, commit in enumerate(log):
        for path in commit.paths:
            by_path.setdefault(path, []).append(number)
    return {
        message.urn: [log[number] for number in sorted({n for path in _files(message) for n in by_path.get(path, ())})]
        for message in registry.messages
    }


def _files(message: Message) -> set[str]:
    """Return the files that ``message`` is made of: its own, those of its examples, the fragments that it refers to."""
    examples = {example.source.path for example in message.examples}
    refused = {example.source.path for example in message.counterexamples}
    return {message.source.path, *examples, *refused, *(origin.path for origin in message.origins.values())}
