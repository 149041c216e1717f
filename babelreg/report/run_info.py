"""Facts about the run that a report shows beside its findings: command, version, what was checked, texts of rules."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from babelreg.finding import Severity


class RuleText(NamedTuple):
    """Description of a rule: one line, its page in Markdown, and its default severity."""

    summary: str
    help: str
    severity: Severity


class RunInfo(NamedTuple):
    """The command that ran (``babelreg lint``) and its input as a phrase, ``checked`` (``12 messages``).

    ``fail_on`` is the lowest severity at which the command fails. ``rules`` describes rules by id; a rule of a finding
    may be absent. ``notes`` are sentences about the whole run: the commit compared with, the number of waived findings.
    ``verb`` is what the command did with its input. ``left_out`` are phrases on the part that was not examined (``2
    drafts are not compared``). ``counts`` are numbers for programs, such as ``{"messages": 12, "waived": 1}``.
    ``json_array``: the style json prints the array of findings, without a summary.
    """

    command: str = "babelreg"
    version: str = "0"
    checked: str = ""
    fail_on: Severity = Severity.ERROR
    rules: Mapping[str, RuleText] = MappingProxyType({})
    notes: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    verb: str = "checked"
    counts: Mapping[str, int] = MappingProxyType({})
    json_array: bool = False

    @property
    def extent(self) -> str:
        """The part of the input that was examined, and the part that was not."""
        return "; ".join((f"{self.verb} {self.checked}", *self.left_out))


DEFAULT_RUN_INFO = RunInfo()
