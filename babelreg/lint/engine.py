"""Runs every rule over a registry and makes findings of what they say."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date

from babelreg.finding import Finding, Severity
from babelreg.lint.config import Config
from babelreg.lint.defects import PAGES
from babelreg.lint.rule import Problem, Rule
from babelreg.lint.rules import RULES
from babelreg.lint.scope import Scope
from babelreg.load.defect import bounded
from babelreg.model import Registry
from babelreg.schema import pointer

__all__ = ["run"]


def run(
    registry: Registry,
    *,
    paths: Sequence[str] | None = None,
    config: Config | None = None,
    rules: Mapping[str, Rule] = RULES,
    today: date | None = None,
) -> list[Finding]:
    """Every finding of ``rules`` and every defect of the registry itself, in the order of the report.

    ``paths`` are files and folders relative to the registry; with them, only what concerns these is reported, though
    the whole registry is looked at. ``config`` is that of ``babelreg.yaml`` unless given. ``today`` is the day that
    sunsets and the like are judged by, else the UTC day.
    """
    config = config or Config.of(registry.settings)
    wanted = _below(paths)
    scope = Scope(registry, wanted, frozenset(rules) | frozenset(PAGES), today)
    found = list(registry.defects)
    for rule_id, rule in rules.items():
        severity = config.severity(rule_id, rule.severity)
        if severity is not None:
            found.extend(_finding(rule_id, severity, problem) for problem in rule.check(scope))
    urns = {message.urn for message in scope.messages}
    shown = {f.sort_key: f for f in found if paths is None or _concerns(f, wanted, urns)}
    return [shown[key] for key in sorted(shown)]


def _finding(rule_id: str, severity: Severity, problem: Problem) -> Finding:
    place = problem.source.place(problem.pointer, key=problem.key, offset=problem.offset)
    where = pointer.text(problem.pointer)
    message, fix = bounded(problem.message), bounded(problem.fix) if problem.fix else None
    return Finding(rule_id, severity, message, place, problem.urn, where, fix, against=problem.against)


def _concerns(finding: Finding, wanted: Callable[[str], bool], urns: set[str]) -> bool:
    other = finding.against
    return wanted(finding.place.path) or (other is not None and wanted(other.path)) or finding.urn in urns


def _below(paths: Sequence[str] | None) -> Callable[[str], bool]:
    if paths is None:
        return lambda path: True
    exact = frozenset(path.strip("/") for path in paths)
    folders = tuple(f"{path}/" for path in exact)
    everything = bool(exact & {"", "."})
    return lambda path: everything or path in exact or path.startswith(folders)
