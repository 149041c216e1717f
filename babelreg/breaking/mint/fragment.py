"""Minting of a shared fragment: its next version, for selected messages only.

Where an edit of the fragment breaks a message, the published text is restored and the edit becomes the next version. A
selected message then refers to the next version; one that breaks by it gets a next version of its own.
"""

from __future__ import annotations

import posixpath
import shlex
from collections.abc import Sequence

from babelreg.breaking.baseline.against import Baseline
from babelreg.breaking.changes.pairs import mint_command
from babelreg.breaking.changes.waivers import BreakingWaivers
from babelreg.breaking.mint.fragment_versions import FragmentMoves, later_versions, version_fragment
from babelreg.breaking.mint.message import mint
from babelreg.breaking.mint.plan import MintPlan, breaks_published, load_planned, unknown_urn
from babelreg.errors import UsageError
from babelreg.load.files.tree import Tree
from babelreg.load.registry.document import decode
from babelreg.load.registry.overlay import Overlay
from babelreg.model import Message, Registry
from babelreg.suggest import closest


def mint_fragment(
    registry: Registry,
    tree: Tree,
    path: str,
    urns: Sequence[str] = (),
    *,
    sunset: str | None = None,
    baseline: Baseline | None,
    waivers: BreakingWaivers | None = None,
) -> MintPlan:
    """Plan the next version of the fragment ``path``, with references from ``urns``. Nothing is written.

    An existing unpublished next version is reused where the fragment itself was not edited. ``sunset`` is for the
    messages that get a next version. An edit whose breaks ``waivers`` accept stays in place.

    Raises UsageError where there is no such fragment, or a message cannot refer to it.
    """
    _check_exists(registry, path)
    if baseline is not None and not baseline.has_published_fragment(path):
        reason = f"{path} was never published, so it needs no next version: {baseline.headline}"
        raise UsageError(reason, fix="edit it in place, or set the published state: --against REV")
    selected = [_message_for(registry, path, urn) for urn in dict.fromkeys(urns)]
    edited = _is_broken_by_edit(registry, path, baseline, waivers)
    reused = None if edited or not selected else _unpublished(registry, path, baseline)
    plan = version_fragment(registry, tree, path, selected, reused)
    files, notes = (
        dict(plan.files),
        [f"{plan.paths[file_path]}: copied from {file_path}" for file_path in plan.paths if file_path != path],
    )
    if edited and baseline is not None:
        files[path] = decode(baseline.tree.read(path))
        notes.append(f"{path}: restored as published; your edit is in {plan.paths[path]}")
    elif not reused:
        notes.append(f"{plan.paths[path]}: copied from {path}, ready to edit")
    for message in selected:
        files[message.source.path] = _referring(plan, tree, message)
    minted = _next_messages(registry, tree, files, selected, sunset, baseline)
    planned = {planned_path for each in minted for planned_path in each.files}
    unchanged = [message.source.path for message in selected if message.source.path not in planned]
    notes += [f"{file_path}: refers to {plan.paths[path]}" for file_path in unchanged]
    for each in minted:
        # New files come before restored ones, so that an interruption between them loses nothing.
        files = {file_path: text for file_path, text in files.items() if file_path not in each.files} | dict(each.files)
        notes += each.notes
    load_planned(registry, tree, files, alone=True)
    return MintPlan(plan.paths[path], files, (*notes, *_notes_on_others(registry, path, selected, plan)))


def _check_exists(registry: Registry, path: str) -> None:
    if path not in registry.fragments:
        near = closest(path, registry.fragments)
        fragment = mint_command(registry, f"--fragment {shlex.quote(near)}") if near else None
        fix = fragment or "fragments are files in _common/ whose names end in .yaml"
        raise UsageError(f"the registry has no fragment {path}", fix=fix)


def _message_for(registry: Registry, path: str, urn: str) -> Message:
    message = registry.by_urn.get(urn)
    if message is None:
        raise unknown_urn(registry, urn, f"--fragment {shlex.quote(path)} --for ")
    if path not in _fragments_of(message):
        raise UsageError(f"{urn} does not use {path}", place=message.source.place(("data",)))
    successor = registry.successor(urn)
    if successor is not None:
        fix = mint_command(registry, f"--fragment {shlex.quote(path)} --for {shlex.quote(str(successor.urn))}")
        raise UsageError(f"{urn} is superseded by {successor.urn} and stays as it is", fix=fix)
    return message


def _fragments_of(message: Message) -> set[str]:
    return {source.path for source in message.origins.values()}


def _is_broken_by_edit(
    registry: Registry, path: str, baseline: Baseline | None, waivers: BreakingWaivers | None
) -> bool:
    """Return True where the fragment differs from the published one and a message breaks by that."""
    published = baseline.registry.fragments.get(path) if baseline else None
    if baseline is None or published is None or repr(published.schema) == repr(registry.fragments[path].schema):
        return False
    return breaks_published(
        baseline.registry, registry, (m.urn for m in registry.messages if path in _fragments_of(m)), waivers
    )


def _unpublished(registry: Registry, path: str, baseline: Baseline | None) -> str | None:
    """Return the path of an unpublished next version of the fragment, or None."""
    later = later_versions(path, registry.fragments)
    return later[0] if later and baseline is not None and later[0] not in baseline.registry.fragments else None


def _referring(plan: FragmentMoves, tree: Tree, message: Message) -> str:
    file_path = message.source.path
    return plan.referring(decode(tree.read(file_path)), message.data, posixpath.dirname(file_path), ("data",))


def _next_messages(
    registry: Registry,
    tree: Tree,
    files: dict[str, str],
    selected: Sequence[Message],
    sunset: str | None,
    baseline: Baseline | None,
) -> list[MintPlan]:
    """Plan next versions of the published messages that break by their new reference."""
    published = baseline.registry.by_urn if baseline else {}
    published_urns = [
        message.urn for message in selected if message.urn in published and published[message.urn].published
    ]
    if baseline is None or not published_urns:
        return []
    # Loaded once: the messages are independent of each other.
    after, tree_after = load_planned(registry, tree, files), Overlay(tree, files)
    breaking = [urn for urn in published_urns if breaks_published(baseline.registry, after, [urn])]
    return [mint(after, tree_after, urn, sunset=sunset, baseline=baseline, breaks=True) for urn in breaking]


def _notes_on_others(registry: Registry, path: str, selected: Sequence[Message], plan: FragmentMoves) -> list[str]:
    """Return notes on the messages that keep the old version, with the command to change that."""
    others = [
        m.urn for m in registry.messages if path in _fragments_of(m) and m not in selected and m.status != "retired"
    ]
    others = [urn for urn in others if registry.successor(urn) is None]
    if not others:
        return []
    more = f" and {len(others) - 1} more" if len(others) > 1 else ""
    command = mint_command(registry, f"--fragment {shlex.quote(path)} --for {shlex.quote(str(others[0]))}")
    return [f"{others[0]}{more}: unchanged; to use {plan.paths[path]} in one:", f"  {command}"]
