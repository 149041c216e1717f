"""Findings as JUnit's XML, which every CI system shows as test results: a suite a file, a case a finding.

A finding of the severity that fails the command is a failure; one below it is a skipped case, so that the report and
the exit code agree. Without findings there is one case that passed: some systems take a report without any for broken.

The document is ASCII. Characters that XML 1.0 has no place for are written as escapes, ``\\x1b``.
"""

from __future__ import annotations

from collections.abc import Sequence

from babelreg.finding import Finding
from babelreg.report.about import PLAIN, About
from babelreg.report.details import details
from babelreg.report.printable import printable

__all__ = ["render"]

_MARKUP = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"})
# XML 1.0, production [2] Char: of what `printable` leaves, only these are not allowed.
_FORBIDDEN = str.maketrans({"\ufffe": "\\ufffe", "\uffff": "\\uffff"})


def render(findings: Sequence[Finding], *, colour: bool = False, about: About = PLAIN) -> str:
    """See ``report.Style``."""
    files: dict[str, list[Finding]] = {}
    for finding in findings:
        files.setdefault(finding.place.path, []).append(finding)
    failed = sum(finding.severity.reaches(about.fail_on) for finding in findings)
    attributes = _counted(max(len(findings), 1), failed, len(findings) - failed)
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f"<testsuites name={_quoted(about.command)} {attributes}>"]
    for path, found in files.items():
        lines.extend(_suite(path, found, about))
    if not findings:
        said = f"no findings in {about.checked}" if about.checked else "no findings"
        lines += [
            f"  <testsuite name={_quoted(about.command)} {_counted(1, 0, 0)}>",
            f"    <testcase name={_quoted(said)} classname={_quoted(about.command)} />",
            "  </testsuite>",
        ]
    return "\n".join([*lines, "</testsuites>"]) + "\n"


def _suite(path: str, findings: Sequence[Finding], about: About) -> list[str]:
    failed = sum(finding.severity.reaches(about.fail_on) for finding in findings)
    attributes = _counted(len(findings), failed, len(findings) - failed)
    lines = [f"  <testsuite name={_quoted(path)} {attributes}>"]
    for finding in findings:
        where = f"{finding.rule} {finding.place.line}:{finding.place.column}" if finding.place.line else finding.rule
        lines.append(f"    <testcase name={_quoted(where)} classname={_quoted(path)}>")
        message = f"message={_quoted(finding.message)}"
        if finding.severity.reaches(about.fail_on):
            lines.append(f"      <failure type={_quoted(finding.rule)} {message}>{_body(finding)}</failure>")
        else:
            lines.append(f"      <skipped {message}>{_body(finding)}</skipped>")
        lines.append("    </testcase>")
    return [*lines, "  </testsuite>"]


def _body(finding: Finding) -> str:
    first = f"{finding.place}: {finding.severity.value}: {finding.message} [{finding.rule}]"
    return "\n".join([_escaped(first), *(f"  {what}: {_escaped(line)}" for what, line in details(finding))])


def _counted(tests: int, failures: int, skipped: int) -> str:
    return f'tests="{tests}" failures="{failures}" errors="0" skipped="{skipped}"'


def _quoted(text: str) -> str:
    return f'"{_escaped(text)}"'


def _escaped(text: str) -> str:
    clean = printable(text).translate(_FORBIDDEN).translate(_MARKUP)
    return clean.encode("ascii", "xmlcharrefreplace").decode("ascii")
