"""The next version of a shared fragment, for the messages that ask for it; all others stay as they are.

Where the fragment was edited in place and that breaks somebody, the published text goes back and the edit is the next
version. A message that asks for it refers to it from then on; one that this would break gets a next version of its own.
"""

from __future__ import annotations

import posixpath
import shlex
from collections.abc import Sequence

from babelreg.breaking.baseline.against import Baseline
from babelreg.breaking.changes.pairs import mint_command
from babelreg.breaking.changes.waivers import BreakingWaivers
from babelreg.breaking.mint.fragment_versions import FragmentMoves, copied, later_versions
from babelreg.breaking.mint.message import mint
from babelreg.breaking.mint.plan import MintPlan, breaks_published, load_planned, unknown_urn
from babelreg.errors import UsageError
from babelreg.load.files.tree import Tree
from babelreg.load.registry.document import decode
from babelreg.load.registry.overlay import Overlay
from babelreg.model import Message, Registry
from babelreg.suggest import closest

__all__ = ["mint_fragment"]


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
    """The next version of the fragment ``path``, and ``urns`` referring to it. Nothing is written.

    An unpublished next version that is there already is taken where the fragment itself was not edited. ``sunset`` is
    for the messages that get a next version. An edit that breaks nothing but what ``waivers`` accept stays in place.

    Raises UsageError where there is no such fragment, or a message cannot ask for it.
    """
    _known(registry, path)
    if baseline is not None and not baseline.has_published_fragment(path):
        said = f"{path} was never published, so it needs no next version: {baseline.headline}"
        raise UsageError(said, fix="edit it as it is, or say what was published: --against REV")
    asked = [_asking(registry, path, urn) for urn in dict.fromkeys(urns)]
    edited = _edited(registry, path, baseline, waivers)
    reused = None if edited or not asked else _unpublished(registry, path, baseline)
    plan = copied(registry, tree, path, asked, reused)
    files, notes = (
        dict(plan.files),
        [f"{plan.paths[there]}: copied from {there}" for there in plan.paths if there != path],
    )
    if edited and baseline is not None:
        files[path] = decode(baseline.tree.read(path))
        notes.append(f"{path}: put back as published; your edit is in {plan.paths[path]}")
    elif not reused:
        notes.append(f"{plan.paths[path]}: copied from {path}, ready to edit")
    for message in asked:
        files[message.source.path] = _referring(plan, tree, message)
    minted = _superseded(registry, tree, files, asked, sunset, baseline)
    followed = {path for one in minted for path in one.files}
    kept = [message.source.path for message in asked if message.source.path not in followed]
    notes += [f"{there}: refers to {plan.paths[path]}" for there in kept]
    for one in minted:
        # The new file before the one put back: whoever is interrupted between two of them has lost nothing.
        files = {there: text for there, text in files.items() if there not in one.files} | dict(one.files)
        notes += one.notes
    load_planned(registry, tree, files, alone=True)
    return MintPlan(plan.paths[path], files, (*notes, *_others(registry, path, asked, plan)))


def _known(registry: Registry, path: str) -> None:
    if path not in registry.fragments:
        near = closest(path, registry.fragments)
        fragment = mint_command(registry, f"--fragment {shlex.quote(near)}") if near else None
        fix = fragment or "fragments stand below _common/ and end in .yaml"
        raise UsageError(f"the registry has no fragment {path}", fix=fix)


def _asking(registry: Registry, path: str, urn: str) -> Message:
    message = registry.by_urn.get(urn)
    if message is None:
        raise unknown_urn(registry, urn, f"--fragment {shlex.quote(path)} --for ")
    if path not in _used(message):
        raise UsageError(f"{urn} does not use {path}", place=message.source.place(("data",)))
    successor = registry.successor(urn)
    if successor is not None:
        fix = mint_command(registry, f"--fragment {shlex.quote(path)} --for {shlex.quote(str(successor.urn))}")
        raise UsageError(f"{urn} is superseded by {successor.urn} and stays as it is", fix=fix)
    return message


def _used(message: Message) -> set[str]:
    return {source.path for source in message.origins.values()}


def _edited(registry: Registry, path: str, baseline: Baseline | None, waivers: BreakingWaivers | None) -> bool:
    """True where the fragment is not as published, and a message breaks by it."""
    published = baseline.registry.fragments.get(path) if baseline else None
    if baseline is None or published is None or repr(published.schema) == repr(registry.fragments[path].schema):
        return False
    return breaks_published(
        baseline.registry, registry, (m.urn for m in registry.messages if path in _used(m)), waivers
    )


def _unpublished(registry: Registry, path: str, baseline: Baseline | None) -> str | None:
    """The next version of the fragment, where one is being worked on."""
    later = later_versions(path, registry.fragments)
    return later[0] if later and baseline is not None and later[0] not in baseline.registry.fragments else None


def _referring(plan: FragmentMoves, tree: Tree, message: Message) -> str:
    there = message.source.path
    return plan.referring(decode(tree.read(there)), message.data, posixpath.dirname(there), ("data",))


def _superseded(
    registry: Registry,
    tree: Tree,
    files: dict[str, str],
    asked: Sequence[Message],
    sunset: str | None,
    baseline: Baseline | None,
) -> list[MintPlan]:
    """The next versions of those that are published and would break by what they now refer to."""
    published = baseline.registry.by_urn if baseline else {}
    known = [message.urn for message in asked if message.urn in published and published[message.urn].published]
    if baseline is None or not known:
        return []
    # Read once: none of them is in the way of another.
    after, now = load_planned(registry, tree, files), Overlay(tree, files)
    breaking = [urn for urn in known if breaks_published(baseline.registry, after, [urn])]
    return [mint(after, now, urn, sunset=sunset, baseline=baseline, breaks=True) for urn in breaking]


def _others(registry: Registry, path: str, asked: Sequence[Message], plan: FragmentMoves) -> list[str]:
    """Which messages go on with the version there was, and how to let them have the new one."""
    left = [m.urn for m in registry.messages if path in _used(m) and m not in asked and m.status != "retired"]
    left = [urn for urn in left if registry.successor(urn) is None]
    if not left:
        return []
    more = f" and {len(left) - 1} more" if len(left) > 1 else ""
    way = mint_command(registry, f"--fragment {shlex.quote(path)} --for {shlex.quote(str(left[0]))}")
    return [f"{left[0]}{more}: as before; to let one have {plan.paths[path]}:", f"  {way}"]
