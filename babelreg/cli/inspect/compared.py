"""Changes since a baseline, as ``diff`` shows them: each message with what breaks in it."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from babelreg.cli.shared.registry_options import open_tree, sound
from babelreg.errors import UsageError

if TYPE_CHECKING:
    from babelreg.finding import Finding
    from babelreg.model.overview import MessageChange


@dataclass(frozen=True, slots=True)
class ComparedMessage:
    """A message that changed, and the findings of ``babelreg breaking`` about it, waived ones left out."""

    change: MessageChange
    breaks: tuple[Finding, ...]


def compared(root: Path, against: str | None, urn: str | None = None) -> tuple[str, list[ComparedMessage]]:
    """Return the name of the baseline, and the messages of the registry in ``root`` that differ from it.

    With ``urn``, only this message. Raises UsageError for a baseline that cannot be read, and for a URN that neither
    side declares.
    """
    from datetime import UTC, datetime

    from babelreg.breaking.baseline import against as baseline
    from babelreg.breaking.changes.waivers import BreakingWaivers
    from babelreg.breaking.check.run import check
    from babelreg.breaking.rules import WAIVABLE
    from babelreg.finding import Severity
    from babelreg.model.overview import registry_changes

    published = baseline.of(root, against)
    current = sound(open_tree(root))
    changes = registry_changes(published.registry, current)
    if urn is not None:
        declared = {**published.registry.by_urn, **current.by_urn}
        if urn not in declared:
            raise UsageError(f"neither side declares a message '{urn}'", fix=_meant(root, urn, declared))
        changes = [change for change in changes if change.urn == urn]
    waivers = BreakingWaivers.of(current.settings, WAIVABLE, datetime.now(UTC).date())
    findings: Sequence[Finding] = check(published.registry, current, waivers=waivers) if changes else []
    severe = [finding for finding in findings if finding.severity is Severity.ERROR]
    return published.headline, [
        ComparedMessage(change, tuple(finding for finding in severe if _concerns(finding, change.urn)))
        for change in changes
    ]


def _meant(root: Path, urn: str, declared: Iterable[str]) -> str:
    """Return the fix for an argument of ``diff`` that is not a declared URN: often it names what to compare with."""
    from babelreg.breaking.baseline.repository import Repository
    from babelreg.suggest import closest

    if Path(urn).exists() or Repository(root).commit(urn):
        return shlex.join(["babelreg", "diff", "--against", urn])
    near = closest(urn, declared)
    return f"did you mean `babelreg diff {near}`?" if near else "`babelreg list` lists the messages"


def _concerns(finding: Finding, urn: str) -> bool:
    return urn == finding.urn or any(use.urn == urn for use in finding.messages)
