"""Widenings of declared messages: those that break nobody, and what is said about the others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from babelreg.cli.shared.registry_options import shown_root
from babelreg.plural import counted

if TYPE_CHECKING:
    from babelreg.analysis.infer.new_files import InferenceOptions
    from babelreg.analysis.infer.refusals import DataRefusals
    from babelreg.analysis.infer.widened_files import WidenedFiles
    from babelreg.analysis.infer.widening_trials import HeldWidening
    from babelreg.analysis.sketch.traffic_sketch import MessageSketch
    from babelreg.finding import Finding
    from babelreg.model import Registry

_MOST_SHOWN = 20


def widenings(
    registry: Registry, messages: Mapping[str, MessageSketch], options: InferenceOptions, *, in_place: bool
) -> WidenedFiles:
    """Return the files to edit so that the schemas accept what was seen of the declared ``messages``.

    Unless ``in_place``, edits that break users of a published message are held back.
    """
    from babelreg.analysis.infer.widened_files import widened_files
    from babelreg.load.files.tree import Folder

    return widened_files(registry, Folder(registry.root), messages, options, None if in_place else _breaks)


def _breaks(old: Registry, new: Registry) -> list[Finding]:
    """Return what ``breaking`` says of the edits, but for notes and what the settings accept."""
    from datetime import UTC, datetime

    from babelreg.breaking.changes.waivers import BreakingWaivers
    from babelreg.breaking.check.run import check
    from babelreg.breaking.rules import WAIVABLE
    from babelreg.finding import Severity

    waivers = BreakingWaivers.of(new.settings, WAIVABLE, datetime.now(UTC).date())
    findings = check(old, new, waivers=waivers)
    return [each for each in findings if each.severity is Severity.ERROR and each.rule in WAIVABLE]


def notes_on(registry: Registry, widened: WidenedFiles, refusals: DataRefusals) -> Iterator[str]:
    """Yield lines on what was widened, and on what was not, with the way out."""
    yield from _widening_notes(registry, widened)
    yield from _refusal_notes(registry, widened, refusals)


def _refusal_notes(registry: Registry, widened: WidenedFiles, refusals: DataRefusals) -> Iterator[str]:
    """Yield lines on the messages that are refused all the same."""
    from babelreg.load.files.tree import Folder
    from babelreg.load.registry.builder import from_tree
    from babelreg.load.registry.overlay import Overlay
    from babelreg.report import printable

    edited = registry
    if widened.changes:
        texts = {path: change.new.decode() for path, change in widened.changes.items()}
        edited = from_tree(Overlay(Folder(registry.root), texts), registry.root)
    total, places = refusals.remaining(edited)
    if not total:
        return
    yield f"{total:,} message{'s are' if total != 1 else ' is'} still refused"
    held = {(each.widening.path, each.widening.node) for each in widened.held}
    for refused, count in sorted(places.items(), key=lambda item: (-item[1], item[0].place.path, item[0].place.line)):
        place = refused.place
        where = f"{Path(shown_root(registry)) / place.path}:{place.line}:{place.column}"
        is_held = (place.path, refused.pointer[:-1]) in held
        way_out = "see above" if is_held else "widen it by hand, or fix the sender"
        yield printable(f"  {count:,} by `{refused.keyword}` at {where}: {way_out}")


def _widening_notes(registry: Registry, widened: WidenedFiles) -> Iterator[str]:
    from babelreg.report import printable

    root = Path(shown_root(registry))
    for message in widened.invalid:
        yield printable(f"{root / message.source.path}: not widened: the schema is not a valid JSON Schema")
        yield "  fix: babelreg lint shows the place; then run this again"
    if widened.made:
        number = len(widened.made)
        yield f"{counted(number, 'widening')} in {counted(len(widened.changes), 'file')}"
    for made in widened.made[:_MOST_SHOWN]:
        yield printable(f"{root / made.path}: {made.shown} {made.what}: {made.evidence}")
    if len(widened.made) > _MOST_SHOWN:
        yield f"... and {len(widened.made) - _MOST_SHOWN} more: --diff shows all"
    if widened.narrower:
        yield f"{counted(widened.narrower, 'comment')} on schemas that could be narrower: --diff shows them"
    for path, texts in sorted(widened.exceptions.items()):
        for text in texts:
            yield printable(f"{root / path}: tolerated: {text}")
    alike: dict[tuple[str, str], list[HeldWidening]] = {}
    for held in widened.held:
        alike.setdefault((held.widening.path, held.reason), []).append(held)
    for (path, reason), group in alike.items():
        for held in group:
            each = held.widening
            yield printable(f"{root / path}: not widened: {each.shown} {each.what}: {each.evidence}")
        for line in (reason, *group[0].breaks):
            yield printable(f"  {line}")
        urns = group[0].widening.messages
        yield printable(f"  fix: {_way_out(registry, path, urns) if group[0].is_breaking else 'edit the file by hand'}")


def _way_out(registry: Registry, path: str, urns: tuple[str, ...]) -> str:
    from babelreg.breaking.changes.pairs import mint_command

    what = path if path in registry.fragments else urns[0]
    return f"{mint_command(registry, what)}, and widen that; or change this version: --in-place"
