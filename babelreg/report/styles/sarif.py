"""SARIF 2.1.0, for code scanning and other tools that read it.

Paths are relative to the root of the repository (``%SRCROOT%``). Columns count characters. A fingerprint stays the same
when lines above a finding move. Rules are described once, in ``tool.driver.rules``.

Source: OASIS, "Static Analysis Results Interchange Format (SARIF) Version 2.1.0"; GitHub, "SARIF support for code
scanning": a level is required, a region starts at 1, and ``automationDetails.id`` distinguishes two runs.

Input that was not examined is a notification of the run, below ``invocations``.

Waived findings are left out instead of written with ``suppressions``: code scanning ignores these, and would show each
as an open alert.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from babelreg.finding import NOTHING, Finding, Place, Severity
from babelreg.report.finding_details import details
from babelreg.report.fingerprint import fingerprints
from babelreg.report.printable import printable
from babelreg.report.run_info import DEFAULT_RUN_INFO, RuleText, RunInfo

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_HOME = "https://github.com/babelreg/babelreg"
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}


def render(findings: Sequence[Finding], *, colour: bool = False, run_info: RunInfo = DEFAULT_RUN_INFO) -> str:
    index = {rule: number for number, rule in enumerate(dict.fromkeys(finding.rule for finding in findings))}
    severities = {finding.rule: finding.severity for finding in reversed(findings)}
    rules = [_rule(rule, run_info.rules.get(rule) or _undescribed(rule, severities[rule])) for rule in index]
    run = {
        "tool": {"driver": {"name": "babelreg", "version": run_info.version, "informationUri": _HOME, "rules": rules}},
        "automationDetails": {"id": f"{run_info.command.replace(' ', '-')}/"},
        "originalUriBaseIds": {"%SRCROOT%": {"description": {"text": "The root of the repository."}}},
        "columnKind": "unicodeCodePoints",
        "results": [
            _result(finding, index[finding.rule], fingerprint)
            for finding, fingerprint in zip(findings, fingerprints(findings), strict=True)
        ],
    }
    if run_info.left_out:
        notification = {"level": "note", "message": {"text": printable(run_info.extent)}}
        run["invocations"] = [{"executionSuccessful": True, "toolExecutionNotifications": [notification]}]
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _rule(rule: str, text: RuleText) -> dict[str, Any]:
    return {
        "id": rule,
        "shortDescription": {"text": text.summary},
        "fullDescription": {"text": text.summary},
        "help": {"text": text.help, "markdown": text.help},
        "defaultConfiguration": {"level": _LEVELS[text.severity]},
    }


def _undescribed(rule: str, severity: Severity) -> RuleText:
    words = rule.replace("-", " ").replace("_", " ")
    return RuleText(words, words, severity)


def _result(finding: Finding, index: int, fingerprint: str) -> dict[str, Any]:
    lines = [printable(finding.message), *(f"{label}: {line}" for label, line in details(finding))]
    optional = {
        "urn": finding.urn,
        "pointer": finding.pointer,
        "reason": finding.reason,
        "direction": finding.direction,
    }
    properties = {name: value for name, value in optional.items() if value is not None}
    if finding.witness is not NOTHING:
        properties["witness"] = finding.witness
    return {
        "ruleId": finding.rule,
        "ruleIndex": index,
        "level": _LEVELS[finding.severity],
        # `[text](1)` would be a link to another location of the report.
        "message": {"text": "\n".join(lines).replace("](", "] (")},
        "locations": [{"physicalLocation": _location(finding.place)}],
        "partialFingerprints": {"finding/v1": fingerprint},
        **({"properties": properties} if properties else {}),
    }


def _location(place: Place) -> dict[str, Any]:
    from urllib.parse import quote

    # Names that are not UTF-8 hold lone surrogates; `surrogatepass` keeps such names distinct.
    uri = quote(place.path.removeprefix("./").encode("utf-8", "surrogatepass"), safe="/")
    artifact = {"uri": f"file://{uri}"} if uri.startswith("/") else {"uri": uri, "uriBaseId": "%SRCROOT%"}
    if place.line <= 0:
        return {"artifactLocation": artifact}
    region = {"startLine": place.line, "startColumn": max(place.column, 1)}
    return {"artifactLocation": artifact, "region": region}
