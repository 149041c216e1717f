"""What a run of lint found, in what is kept of it as in what was just judged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from babelreg.finding import Finding

__all__ = ["RunResult"]


@dataclass(frozen=True, slots=True)
class RunResult:
    """``counts`` are the numbers told beside the findings, such as of messages and waivers."""

    findings: tuple[Finding, ...]
    counts: Mapping[str, int] = field(default_factory=dict)
