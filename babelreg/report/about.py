"""What a report says besides its findings: who speaks, of how much, and what the rules mean."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from babelreg.finding import Severity

__all__ = ["PLAIN", "About", "RuleText"]


class RuleText(NamedTuple):
    """A rule for people: one line on what it reports, and its page in Markdown. ``severity`` is its own."""

    summary: str
    help: str
    severity: Severity


class About(NamedTuple):
    """``command`` is the one that ran (``babelreg lint``), ``checked`` what it looked at (``12 messages``).

    ``fail_on`` is the severity from which the command fails. ``rules`` may lack some, or all, of those found. ``notes``
    are sentences beside the findings: what a registry was compared with, how many findings are waived.
    """

    command: str = "babelreg"
    version: str = "0"
    checked: str = ""
    fail_on: Severity = Severity.ERROR
    rules: Mapping[str, RuleText] = MappingProxyType({})
    notes: tuple[str, ...] = ()


PLAIN = About()
