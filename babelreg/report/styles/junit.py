"""JUnit XML, which CI systems show as test results: one test suite per file, one test case per finding.

A finding whose severity fails the command is a failure, any other is a skipped case, so that report and exit code
agree. Without findings there is one case that passed: some systems reject a report without test cases. Input that was
not examined is a skipped case.

The document is ASCII. Characters that XML 1.0 does not allow are written as escapes, ``\\x1b``.
"""

from __future__ import annotations

from collections.abc import Sequence

from babelreg.finding import Finding
from babelreg.report.finding_details import details
from babelreg.report.fingerprint import fingerprints
from babelreg.report.printable import printable
from babelreg.report.run_info import DEFAULT_RUN_INFO, RunInfo

_MARKUP = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"})
# XML 1.0, production [2] Char: `printable` escapes all other characters that are not allowed.
_FORBIDDEN = str.maketrans({"\ufffe": "\\ufffe", "\uffff": "\\uffff"})


def render(findings: Sequence[Finding], *, colour: bool = False, run_info: RunInfo = DEFAULT_RUN_INFO) -> str:
    files: dict[str, list[tuple[Finding, str]]] = {}
    for finding, key in zip(findings, fingerprints(findings), strict=True):
        files.setdefault(finding.place.path, []).append((finding, key))
    failed = sum(finding.severity.reaches(run_info.fail_on) for finding in findings)
    left_out = len(run_info.left_out)
    attributes = _count_attributes(max(len(findings), 1) + left_out, failed, len(findings) - failed + left_out)
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f"<testsuites name={_quoted(run_info.command)} {attributes}>"]
    for path, file_findings in files.items():
        lines.extend(_suite(path, file_findings, run_info))
    if left_out or not findings:
        lines += _suite_of_run(run_info, clean=not findings)
    return "\n".join([*lines, "</testsuites>"]) + "\n"


def _suite_of_run(run_info: RunInfo, *, clean: bool) -> list[str]:
    """Return the suite without a file: a case for a run without findings, and one for all input not examined."""
    command = _quoted(run_info.command)
    cases = []
    if clean:
        name = f"no findings in {run_info.checked}" if run_info.checked else "no findings"
        cases.append(f"    <testcase name={_quoted(name)} classname={command} />")
    for phrase in run_info.left_out:
        cases += [
            f"    <testcase name={_quoted(phrase)} classname={command}>",
            f"      <skipped message={_quoted(run_info.extent)} />",
            "    </testcase>",
        ]
    left_out = len(run_info.left_out)
    attributes = _count_attributes(clean + left_out, 0, left_out)
    return [f"  <testsuite name={command} {attributes}>", *cases, "  </testsuite>"]


def _suite(path: str, findings: Sequence[tuple[Finding, str]], run_info: RunInfo) -> list[str]:
    failed = sum(finding.severity.reaches(run_info.fail_on) for finding, _ in findings)
    attributes = _count_attributes(len(findings), failed, len(findings) - failed)
    lines = [f"  <testsuite name={_quoted(path)} {attributes}>"]
    for finding, key in findings:
        name = f"{finding.rule} {finding.place.line}:{finding.place.column}" if finding.place.line else finding.rule
        lines.append(f"    <testcase name={_quoted(name)} classname={_quoted(path)}>")
        message = f"message={_quoted(finding.message)}"
        if finding.severity.reaches(run_info.fail_on):
            lines.append(f"      <failure type={_quoted(finding.rule)} {message}>{_body(finding, key)}</failure>")
        else:
            lines.append(f"      <skipped {message}>{_body(finding, key)}</skipped>")
        lines.append("    </testcase>")
    return [*lines, "  </testsuite>"]


def _body(finding: Finding, key: str) -> str:
    first = f"{finding.place}: {finding.severity.value}: {finding.message} [{finding.rule}]"
    lines = [*details(finding), ("id", key)]
    return "\n".join([_escaped(first), *(f"  {label}: {_escaped(line)}" for label, line in lines)])


def _count_attributes(tests: int, failures: int, skipped: int) -> str:
    return f'tests="{tests}" failures="{failures}" errors="0" skipped="{skipped}"'


def _quoted(text: str) -> str:
    return f'"{_escaped(text)}"'


def _escaped(text: str) -> str:
    clean = printable(text).translate(_FORBIDDEN).translate(_MARKUP)
    return clean.encode("ascii", "xmlcharrefreplace").decode("ascii")
