"""Findings as SARIF 2.1.0, for code scanning and every tool that reads it.

Paths are relative to the root of the repository (``%SRCROOT%``). Columns count characters. A fingerprint stays the same
when lines above a finding move. What a rule means stands once, in ``tool.driver.rules``.

Source: OASIS, "Static Analysis Results Interchange Format (SARIF) Version 2.1.0"; GitHub, "SARIF support for code
scanning": a level is always there, a region starts at 1, and ``automationDetails.id`` keeps two runs apart.

What is waived is left out, not written with ``suppressions``: code scanning does not read these, and would show each as
an open alert.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from babelreg.finding import NOTHING, Finding, Place, Severity
from babelreg.report.about import PLAIN, About, RuleText
from babelreg.report.details import details
from babelreg.report.fingerprint import fingerprints
from babelreg.report.printable import printable

__all__ = ["render"]

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_HOME = "https://github.com/babelreg/babelreg"
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}


def render(findings: Sequence[Finding], *, colour: bool = False, about: About = PLAIN) -> str:
    """See ``report.Style``."""
    index = {rule: number for number, rule in enumerate(dict.fromkeys(finding.rule for finding in findings))}
    severities = {finding.rule: finding.severity for finding in reversed(findings)}
    rules = [_rule(rule, about.rules.get(rule) or _unknown(rule, severities[rule])) for rule in index]
    run = {
        "tool": {"driver": {"name": "babelreg", "version": about.version, "informationUri": _HOME, "rules": rules}},
        "automationDetails": {"id": f"{about.command.replace(' ', '-')}/"},
        "originalUriBaseIds": {"%SRCROOT%": {"description": {"text": "The root of the repository."}}},
        "columnKind": "unicodeCodePoints",
        "results": [
            _result(finding, index[finding.rule], fingerprint)
            for finding, fingerprint in zip(findings, fingerprints(findings), strict=True)
        ],
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _rule(rule: str, text: RuleText) -> dict[str, Any]:
    return {
        "id": rule,
        "shortDescription": {"text": text.summary},
        "fullDescription": {"text": text.summary},
        "help": {"text": text.help, "markdown": text.help},
        "defaultConfiguration": {"level": _LEVELS[text.severity]},
    }


def _unknown(rule: str, severity: Severity) -> RuleText:
    said = rule.replace("-", " ").replace("_", " ")
    return RuleText(said, said, severity)


def _result(finding: Finding, index: int, fingerprint: str) -> dict[str, Any]:
    lines = [printable(finding.message), *(f"{what}: {line}" for what, line in details(finding))]
    about = {"urn": finding.urn, "pointer": finding.pointer, "reason": finding.reason, "direction": finding.direction}
    properties = {name: value for name, value in about.items() if value is not None}
    if finding.witness is not NOTHING:
        properties["witness"] = finding.witness
    return {
        "ruleId": finding.rule,
        "ruleIndex": index,
        "level": _LEVELS[finding.severity],
        # `[text](1)` would be a link to another place of the report.
        "message": {"text": "\n".join(lines).replace("](", "] (")},
        "locations": [{"physicalLocation": _location(finding.place)}],
        "partialFingerprints": {"finding/v1": fingerprint},
        **({"properties": properties} if properties else {}),
    }


def _location(place: Place) -> dict[str, Any]:
    from urllib.parse import quote

    # Names that are no UTF-8 hold lone surrogates; they keep apart that way, and a URI is ASCII.
    uri = quote(place.path.removeprefix("./").encode("utf-8", "surrogatepass"), safe="/")
    artifact = {"uri": f"file://{uri}"} if uri.startswith("/") else {"uri": uri, "uriBaseId": "%SRCROOT%"}
    if place.line <= 0:
        return {"artifactLocation": artifact}
    region = {"startLine": place.line, "startColumn": max(place.column, 1)}
    return {"artifactLocation": artifact, "region": region}
