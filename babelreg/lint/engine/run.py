"""The run of all rules over a registry: problems become findings, and waivers hide some."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import NamedTuple

from babelreg.finding import Finding, Severity
from babelreg.lint.config import Config
from babelreg.lint.defects import PAGES
from babelreg.lint.rule import Problem, Rule
from babelreg.lint.rules import RULES
from babelreg.lint.scope import Scope
from babelreg.lint.waivers import LintWaivers
from babelreg.load.files.defect import bounded
from babelreg.load.registry.document import forget_marks
from babelreg.model import Edit, Registry, Source
from babelreg.schema import pointer

_RuleProblem = tuple[str, Severity, Problem]
"""Rule id, the severity that the settings give it, and the problem."""


class LintResult(NamedTuple):
    """Result of one run: ``findings`` in the order of the report, and those that a waiver hides.

    ``edits`` fix a finding, for those that have any. ``messages`` is the number of messages that are reported on.
    """

    findings: tuple[Finding, ...]
    waived: tuple[Finding, ...]
    edits: Mapping[Finding, tuple[Edit, ...]]
    messages: int


def run(
    registry: Registry,
    *,
    paths: Sequence[str] | None = None,
    config: Config | None = None,
    rules: Mapping[str, Rule] = RULES,
    today: date | None = None,
) -> list[Finding]:
    """Return the findings that :func:`examine` reports."""
    return list(examine(registry, paths=paths, config=config, rules=rules, today=today).findings)


def examine(
    registry: Registry,
    *,
    paths: Sequence[str] | None = None,
    config: Config | None = None,
    rules: Mapping[str, Rule] = RULES,
    today: date | None = None,
) -> LintResult:
    """Return every finding of ``rules`` that no waiver hides, and every defect of the registry itself.

    ``paths`` are files and folders relative to the registry; with them, only what concerns these is reported, though
    the whole registry is linted. ``config`` defaults to the settings of the registry. ``today`` is the day for sunset
    and expiry dates, by default the UTC day.
    """
    config = config or Config.of(registry.settings)
    wanted = _below(paths)
    scope = Scope(registry, wanted, frozenset(rules) | frozenset(PAGES), today)
    scope.waivers = _waivers(scope, config, rules, everything=paths is None)
    edits: dict[Finding, tuple[Edit, ...]] = {}
    visible, waived = list(registry.defects), list[Finding]()
    for finding in _findings(scope, config, rules, edits):
        (waived if scope.waivers.waives(finding) else visible).append(finding)
    if paths is not None:
        urns = {message.urn for message in scope.messages}
        visible, waived = ([f for f in some if _concerns(f, wanted, urns)] for some in (visible, waived))
    for finding in waived:
        edits.pop(finding, None)
    return LintResult(_in_order(visible), _in_order(waived), edits, len(scope.messages))


def _waivers(scope: Scope, config: Config, rules: Mapping[str, Rule], *, everything: bool) -> LintWaivers:
    """Return the waivers of the registry, with the functions that tell whether one is unused."""
    configured = Config.of(scope.registry.settings) if config.chosen else config

    def enabled_by(configuration: Config) -> Callable[[str, str], bool]:
        return lambda rule, path: configuration.severity(rule, rules[rule], path) is not None

    def findings_everywhere(ids: frozenset[str]) -> Iterator[Finding]:
        everywhere = Scope(scope.registry, rule_ids=scope.rule_ids, today=scope.today)
        return _findings(everywhere, config, {rule: rules[rule] for rule in rules if rule in ids}, {})

    waivers = LintWaivers.of(scope.registry, scope.rule_ids, scope.today)
    waivers.enabled, waivers.selected = enabled_by(configured), enabled_by(config)
    waivers.findings_everywhere = None if everything else findings_everywhere
    return waivers


def _in_order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return the findings in the order of the report, each once."""
    shown = {finding.sort_key: finding for finding in findings}
    return tuple(shown[key] for key in sorted(shown))


def _findings(
    scope: Scope, config: Config, rules: Mapping[str, Rule], edits: dict[Finding, tuple[Edit, ...]]
) -> Iterator[Finding]:
    problems = _problems(scope, config, rules)
    # Unused waivers are known only after all other rules, so the order of the rules must stay.
    for rule_id, severity, problem in problems if scope.waivers.all else _by_file(problems):
        finding = _finding(rule_id, severity, problem)
        if problem.edits:
            edits[finding] = problem.edits
        yield finding


def _problems(scope: Scope, config: Config, rules: Mapping[str, Rule]) -> Iterator[_RuleProblem]:
    severities: dict[tuple[str, str], Severity | None] = {}
    for rule_id, rule in rules.items():
        if not config.enabled_anywhere(rule_id, rule):
            continue
        severity = config.severity(rule_id, rule)
        for problem in rule.check(scope):
            if config.overrides:
                at = (rule_id, problem.source.path)
                if at not in severities:
                    severities[at] = config.severity(rule_id, rule, problem.source.path)
                severity = severities[at]
            if severity is not None:
                yield rule_id, severity, problem


def _by_file(problems: Iterable[_RuleProblem]) -> Iterator[_RuleProblem]:
    """Yield problems file by file, so that the positions of a file (forty times its size) are freed before the next."""
    previous: Source | None = None
    for rule_problem in sorted(problems, key=lambda item: item[2].source.path):
        source = rule_problem[2].source
        if previous is not None and previous is not source:
            forget_marks(previous)
        previous = source
        yield rule_problem


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
