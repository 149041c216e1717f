"""Findings about messages as problems: of many alike the first few are printed, the others counted."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from babelreg.finding import Finding

if TYPE_CHECKING:
    from babelreg.model import Registry

_MAX_PROBLEMS = 1000
"""Problems that are told apart. Beyond, findings of one rule are one problem, so that memory is bounded."""

_HOLDERS = frozenset({"data", "payload"})
_OUTSIDE_DATA = frozenset({"job", "urn", "trace_id", "meta", "attempts", "timestamp", "dead_letter"})
_MISSING = " the property "


class _Problem(NamedTuple):
    """Identity of a problem, which has no value of a message: array indexes and keys of maps in ``path`` are ``*``.

    ``fix`` tells apart the names that a registry does not map.
    """

    rule: str
    severity: str
    urn: str | None = None
    path: str | None = None
    fix: str | None = None


@dataclass(slots=True)
class _Tally:
    """Count of the findings of a problem. ``first`` is one of them, ``hidden_paths`` the files of those not shown."""

    first: Finding
    count: int = 0
    hidden_paths: set[str] = field(default_factory=set)


class Problems:
    """Groups findings by problem: rule, URN and place in the schema. ``most`` findings of each are shown.

    ``registry`` tells the names that a schema declares from keys of maps, and names the producers.
    """

    def __init__(self, most: int, registry: Registry | None = None) -> None:
        self._most = most
        self._registry = registry
        self._tallies: dict[_Problem, _Tally] = {}
        self._declared: dict[str, frozenset[str]] = {}

    def shown(self, findings: Sequence[Finding]) -> list[Finding]:
        """Count ``findings`` and return those to show."""
        shown = []
        for finding in findings:
            tally = self._tally(finding)
            tally.count += 1
            if tally.count <= self._most:
                shown.append(finding)
            else:
                tally.hidden_paths.add(finding.place.path)
        return shown

    def closing_lines(self) -> list[str]:
        """Return a line for each problem of which findings were not shown, the most frequent first."""
        from babelreg.report import printable

        return [
            printable(f"... {tally.count - self._most:,} more like it in {self._where(tally)}: {_text(tally.first)}")
            for _, tally in self._ordered()
            if tally.count > self._most
        ]

    def print_statistics(self, style: str) -> None:
        """Print how many findings each problem has, the most frequent first."""
        if style == "json":
            rows = [
                {
                    "rule": problem.rule,
                    "severity": problem.severity,
                    "urn": problem.urn,
                    "pointer": problem.path,
                    "count": tally.count,
                }
                for problem, tally in self._ordered()
            ]
            click.echo(json.dumps(rows, indent=2))
            return
        from babelreg.report import printable

        width = max((len(f"{tally.count:,}") for tally in self._tallies.values()), default=0)
        for problem, tally in self._ordered():
            about = " ".join(filter(None, (problem.rule, problem.urn, problem.path)))
            click.echo(printable(f"{tally.count:>{width},}  {problem.severity:7}  {about}"))

    def _ordered(self) -> list[tuple[_Problem, _Tally]]:
        return sorted(self._tallies.items(), key=lambda item: -item[1].count)

    def _tally(self, finding: Finding) -> _Tally:
        problem = self._problem(finding)
        if problem not in self._tallies and len(self._tallies) >= _MAX_PROBLEMS:
            problem = _Problem(problem.rule, problem.severity)
        return self._tallies.setdefault(problem, _Tally(finding))

    def _problem(self, finding: Finding) -> _Problem:
        fix = finding.fix if finding.rule == "unmapped_name" else None
        path = self._path(finding)
        return _Problem(finding.code or finding.rule, finding.severity.value, finding.urn, path, fix)

    def _path(self, finding: Finding) -> str | None:
        """Return the pointer without values; of a missing property, that of the property."""
        if finding.pointer is None:
            return None
        segments = finding.pointer.split("/")
        declared = None if segments[1:2] and segments[1] in _OUTSIDE_DATA else self._names(finding.urn)
        path = "/".join("*" if _is_value(segment, declared) else segment for segment in segments)
        if finding.rule == "missing_required" and _MISSING in finding.message:
            path += f"/{finding.message.rpartition(_MISSING)[2][1:-1]}"
        return path

    def _names(self, urn: str | None) -> frozenset[str] | None:
        """Return the property names of the message's schema; None where it has none."""
        if self._registry is None or urn is None or urn not in self._registry.schemas:
            return None
        if urn not in self._declared:
            self._declared[urn] = frozenset(_property_names(self._registry.schemas[urn]))
        return self._declared[urn]

    def _where(self, tally: _Tally) -> str:
        paths = tally.hidden_paths
        where = f"{len(paths)} files" if len(paths) > 1 else next(iter(paths))
        message = self._registry.by_urn.get(tally.first.urn or "") if self._registry else None
        return where + (f", from {', '.join(message.producers)}" if message and message.producers else "")


def _text(finding: Finding) -> str:
    message = finding.message.removeprefix(f"byte {finding.offset}: ")
    return f"{message} [{finding.code or finding.rule}]"


def _is_value(segment: str, declared: frozenset[str] | None) -> bool:
    if declared is None:
        return segment.isdigit()
    name = segment.replace("~1", "/").replace("~0", "~")
    return bool(segment) and name not in declared and segment not in _HOLDERS


def _property_names(schema: Any) -> Iterator[str]:
    stack = [schema]
    while stack:
        part = stack.pop()
        if isinstance(part, dict):
            properties = part.get("properties")
            if isinstance(properties, dict):
                yield from properties
            stack += part.values()
        elif isinstance(part, list):
            stack += part
