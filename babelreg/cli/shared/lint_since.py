"""``babelreg lint --since``: the findings that an earlier state of the registry does not have."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from babelreg.errors import UsageError

if TYPE_CHECKING:
    from babelreg.breaking.baseline.against import Baseline
    from babelreg.finding import Finding
    from babelreg.lint.engine.cached_run import RunResult
    from babelreg.lint.engine.selection import RuleSelection
    from babelreg.load.files.tree import Tree


def earlier_state(root: Path, since: str) -> Baseline:
    """Return the state of the registry in ``root`` that ``--since`` names.

    A branch means its merge-base with HEAD, also where that is HEAD. Raises UsageError, with a fix.
    """
    from babelreg.breaking.baseline import against, revision
    from babelreg.breaking.baseline.repository import Repository

    with _errors_of_since():
        # `breaking` would take the parent of HEAD, as a commit that is merged must have been compared with something.
        branch = not os.path.exists(since) and revision.merged_head(Repository(root), since)  # noqa: PTH110
        return against.of(root, "HEAD" if branch else since)


@contextmanager
def _errors_of_since() -> Iterator[None]:
    """Let errors name ``--since`` where those of a baseline name ``--against``."""
    try:
        yield
    except UsageError as err:
        fix = err.fix and err.fix.replace("--against", "--since")
        raise UsageError(err.message.replace("--against", "--since"), fix=fix) from err


def new_findings(
    root: Path,
    earlier: Baseline,
    findings: Sequence[Finding],
    selection: RuleSelection,
    today: date,
    *,
    cached: bool,
) -> tuple[Finding, ...]:
    """Return the ``findings`` that ``earlier`` does not have, whatever their lines.

    Both states are linted with the present settings, so a rule that was switched on reports nothing about old text;
    each has its own waivers.
    """
    from babelreg.report.fingerprint import fingerprints

    if earlier.new or not findings:
        return tuple(findings)
    with _errors_of_since():
        known = set(fingerprints(_linted(root, earlier, selection, today, cached=cached).findings))
    return tuple(f for f, fingerprint in zip(findings, fingerprints(findings), strict=True) if fingerprint not in known)


def _linted(root: Path, earlier: Baseline, selection: RuleSelection, today: date, *, cached: bool) -> RunResult:
    from babelreg.cache.store import CacheStore
    from babelreg.lint.engine.cached_run import RunResult, cached_result
    from babelreg.load.registry.root import settings_of

    settings = settings_of(root)

    def lint_tree(tree: Tree) -> RunResult:
        from babelreg import lint, load

        registry = load.from_tree(tree, earlier.root)
        return RunResult.of(lint.examine(registry, config=selection.config(settings), today=today))

    if not cached:
        return lint_tree(earlier.tree)
    options = ["since", json.dumps(settings.lint, sort_keys=True, default=str), today.isoformat(), selection.key()]
    return cached_result(CacheStore.of("lint", "result"), earlier.tree, options, lint_tree)
