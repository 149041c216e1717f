"""Changes since a baseline, as ``diff`` and ``changelog`` show them: each message with what breaks in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from babelreg.cli.shared.registry_options import open_tree, sound

if TYPE_CHECKING:
    from babelreg.finding import Finding
    from babelreg.model.overview import MessageChange

__all__ = ["ComparedMessage", "compared"]


@dataclass(frozen=True, slots=True)
class ComparedMessage:
    """A message that changed, and the findings of ``babelreg breaking`` about it, waived ones left out."""

    change: MessageChange
    breaks: tuple[Finding, ...]


def compared(root: Path, against: str | None) -> tuple[str, list[ComparedMessage]]:
    """Return the name of the baseline, and the messages of the registry in ``root`` that differ from it.

    Raises UsageError for a baseline that cannot be read.
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
    waivers = BreakingWaivers.of(current.settings, WAIVABLE, datetime.now(UTC).date())
    findings: Sequence[Finding] = check(published.registry, current, waivers=waivers) if changes else []
    severe = [finding for finding in findings if finding.severity is Severity.ERROR]
    return published.headline, [
        ComparedMessage(change, tuple(finding for finding in severe if _concerns(finding, change.urn)))
        for change in changes
    ]


def _concerns(finding: Finding, urn: str) -> bool:
    return urn == finding.urn or any(use.urn == urn for use in finding.messages)
