"""Minting of a message: its next version beside the old one, by text edits that preserve comments.

Where an edit of the published file, or of a fragment it refers to, breaks a service, the published text is restored
and the edited schema moves to the new file, with the upcast steps from the old data.
"""

from __future__ import annotations

import datetime
import posixpath
import shlex
from collections.abc import Iterator

from babelreg.breaking.baseline.against import Baseline
from babelreg.breaking.changes.pairs import Pair, mint_command
from babelreg.breaking.changes.waivers import BreakingWaivers
from babelreg.breaking.mint.fragment_versions import version_edited_fragments
from babelreg.breaking.mint.next_version_text import (
    deprecated,
    next_version,
    status,
    with_upcast,
)
from babelreg.breaking.mint.plan import MintPlan, breaks_published, load_planned, unknown_urn
from babelreg.breaking.mint.upcast_draft import draft_upcast
from babelreg.errors import UsageError
from babelreg.load.files.tree import Tree
from babelreg.load.registry.document import decode
from babelreg.model import Message, Registry, Urn


def mint(
    registry: Registry,
    tree: Tree,
    urn: str,
    *,
    sunset: str | None = None,
    baseline: Baseline | None,
    breaks: bool | None = None,
    waivers: BreakingWaivers | None = None,
) -> MintPlan:
    """Plan the next version of ``urn``. ``tree`` holds the files of ``registry``; nothing is written.

    ``baseline`` is the published registry, None where there is none. With ``sunset``, a date, the old version becomes
    deprecated. ``breaks`` tells whether the message breaks the published one, where that is already known. A break that
    ``waivers`` accept does not count: the accepted edit belongs to this version and stays in it.

    Raises UsageError where there is nothing to mint, as for a message that was never published.
    """
    old = _mintable(registry, urn)
    assert old.parsed is not None
    successor, path = old.parsed.next, old.source.path
    _check_date(sunset)
    if successor.path in tree.paths():
        fix = f"make {successor.path} declare {successor}, or move it away"
        raise UsageError(f"{successor.path} already exists and declares something else", fix=fix)
    waivers = waivers or BreakingWaivers()
    _check_published(registry, baseline, old)
    published = _published(registry, baseline, urn, breaks, waivers)
    edited = decode(tree.read(path))
    restored = published is not None and _differs(published, old)
    shape, notes = next_version(registry, old, edited, successor, restored=restored)
    files, written = {successor.path: shape}, [f"{successor.path}: {successor}, supersedes {urn}"]
    if published is not None and baseline is not None:
        shape, upcast_notes = _with_upcast(Pair(published, old, baseline.registry, registry), shape, successor)
        files, put_back = _put_back(registry, tree, old, baseline, shape, restore_message=restored)
        written, notes = [*put_back, *written], [*notes, *upcast_notes]
    elif waivers.hidden:
        notes.append(f"{path}: keeps its edits, because the breaks are waived; to restore it, remove the waiver first")
    before = files.get(path, edited)
    if sunset is not None:
        files[path] = deprecated(before, sunset)
        notes.append(f"{path}: deprecated, sunset {sunset}")
    else:
        notes.append(f"{path}: stays {status(before)}; to deprecate it, set `status: deprecated` and `sunset: DATE`")
    load_planned(registry, tree, files, str(successor), alone=True)
    return MintPlan(str(successor), files, (*written, *notes, *_migration_notes(registry, old, successor)))


def _mintable(registry: Registry, urn: str) -> Message:
    message = registry.by_urn.get(urn)
    if message is None or message.parsed is None:
        raise unknown_urn(registry, urn)
    if message.status in ("draft", "retired"):
        why = "may still be changed in place" if message.status == "draft" else "is retired and has no next version"
        raise UsageError(f"{urn} is {message.status}: it {why}", place=message.source.place(("status",)))
    following = str(message.parsed.next)
    if following in registry.by_urn:
        newest = message.parsed.next
        while str(newest.next) in registry.by_urn:
            newest = newest.next
        raise UsageError(f"{following} already exists", fix=mint_command(registry, shlex.quote(str(newest))))
    return message


def _check_published(registry: Registry, baseline: Baseline | None, message: Message) -> None:
    if baseline is None or baseline.has_published(message.urn):
        return
    since = registry.compatibility(message.context).since
    if baseline.past is not None and baseline.past.before(message, since):
        return  # it was removed for a while
    reason = f"{message.urn} was never published, so it needs no next version: {baseline.headline}"
    fix = "edit it in place, or set the published state: --against REV"
    raise UsageError(reason, place=message.source.place(("urn",)), fix=fix)


def _check_date(sunset: str | None) -> None:
    try:
        if sunset is not None and datetime.date.fromisoformat(sunset).isoformat() != sunset:
            raise ValueError
    except ValueError as err:
        raise UsageError(f"--sunset {sunset!r} is not a date", fix="write it as --sunset 2030-06-30") from err


def _published(
    registry: Registry, baseline: Baseline | None, urn: str, breaks: bool | None, waivers: BreakingWaivers
) -> Message | None:
    """Return the published version where the present message breaks it, else None."""
    published = baseline.registry.by_urn.get(urn) if baseline else None
    if published is None or baseline is None or not published.published:
        return None
    breaks = breaks_published(baseline.registry, registry, [urn], waivers) if breaks is None else breaks
    return published if breaks else None


def _with_upcast(pair: Pair, shape: str, successor: Urn) -> tuple[str, list[str]]:
    """Return ``shape`` with upcast steps from the old data, and a note on their completeness."""
    assert pair.new is not None
    strict = pair.new_registry.compatibility(pair.new.context).reader == "strict"
    examples = [example.data for example in pair.old.examples]
    draft = draft_upcast(pair, examples, strict=strict)
    path = successor.path
    if draft.gaps:
        more = f" (and {len(draft.gaps) - 1} more)" if len(draft.gaps) > 1 else ""
        return with_upcast(shape, draft.steps), [f"{path}: upcast is incomplete: {draft.gaps[0]}{more}"]
    shown = "the example" if draft.checked == 1 else f"all {draft.checked} examples"
    if not draft.checked:
        shown = "the simplest document"
    if draft.steps:
        steps = ", ".join(step for operation in draft.steps for step in operation)
        return with_upcast(shape, draft.steps), [f"{path}: upcast drafted ({steps}); {shown} of {pair.urn} fit it"]
    return shape, [f"{path}: needs no upcast; {shown} of {pair.urn} fit as they are"]


def _put_back(
    registry: Registry, tree: Tree, old: Message, baseline: Baseline, shape: str, *, restore_message: bool
) -> tuple[dict[str, str], list[str]]:
    """Return the files that restore ``old`` as published, with ``shape`` as its next version; and notes on them.

    New files come before restored ones, so that an interruption between them loses nothing.
    """
    assert old.parsed is not None
    path, new = old.source.path, old.parsed.next.path
    fragments = version_edited_fragments(registry, tree, old, baseline)
    shape = fragments.referring(shape, old.data, posixpath.dirname(path), ("data",))
    files = {**fragments.files, new: shape}
    moves = {fragment: fragments.paths[fragment] for fragment in fragments.restored}
    if restore_message:
        files[path] = decode(baseline.tree.read(baseline.registry.by_urn[old.urn].source.path))
        moves[path] = new
    note = "restored as published; your edit is in"
    return files, [f"{restored}: {note} {there}" for restored, there in moves.items()]


def _differs(published: Message, present: Message) -> bool:
    return repr(published.data) != repr(present.data) or published.kind != present.kind


def _migration_notes(registry: Registry, old: Message, successor: Urn) -> Iterator[str]:
    """Yield notes on the services that must move to the new version: producers, then consumers."""
    for name in old.producers:
        yield f"{_service_title(registry, name)} is to send {successor}"
    declaring: list[str] = []
    for name in registry.consumers(old.urn):
        service = registry.services.get(name)
        if service is not None and any(use.urn == old.urn for use in service.consumes):
            declaring.append(f"  {service.source.path}: {_service_title(registry, name)}")
        else:
            yield f"{_service_title(registry, name)} is to consume {successor}"
    if declaring:
        yield f"consumers that migrate: add `- urn: {successor}` under `consumes` in"
        yield from declaring


def _service_title(registry: Registry, name: str) -> str:
    service = registry.services.get(name)
    details = [part for part in (service.lang, service.owner) if part] if service else []
    return f"{name} ({', '.join(details)})" if details else name
