"""Findings about a stream of messages: printed as they come, and counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from babelreg.finding import Finding, Severity

if TYPE_CHECKING:
    from babelreg.cli.shared.output import Output

__all__ = ["FindingPrinter"]

_BY_LINE = frozenset({"text", "jsonl", "github"})


class FindingPrinter:
    """Prints findings as they come, so that memory does not grow with the input; counts for the summary.

    A style that is one document, and a report in a file, have to wait for the end. ``json_array``: the style json is an
    array of findings.
    """

    def __init__(
        self, style: str | None, output: tuple[Output, ...], fail_on: str, *, json_array: bool = False
    ) -> None:
        from babelreg.cli.shared.output import default_style

        replaces_stdout = any(report.style is None for report in output)
        self._style = style or ("text" if replaces_stdout else default_style())
        self._output = output
        self._streams = self._style in _BY_LINE and not output
        self._fail_on = fail_on
        self._json_array = json_array
        self._findings: list[Finding] = []
        self._good = 0
        self._refused: Counter[str] = Counter()
        self._warnings = 0
        self._control = 0
        self.exit_code = 0

    def add(self, findings: Sequence[Finding], reason: str | None) -> None:
        """Report the findings about one message. ``reason`` is the code for which it was refused, else None."""
        if reason is None:
            self._good += 1
        else:
            self._refused[reason] += 1
        self.report(findings)

    @property
    def messages(self) -> int:
        """The number of messages so far, control messages included."""
        return self._good + sum(self._refused.values()) + self._control

    def add_control(self) -> None:
        """Count a control message, which has no payload to validate."""
        self._control += 1

    def report(self, findings: Sequence[Finding]) -> None:
        """Report findings without counting a message."""
        from babelreg.cli.shared.output import emit

        if not findings:
            return
        self._warnings += sum(finding.severity is Severity.WARNING for finding in findings)
        if self._streams:
            self.exit_code = max(self.exit_code, emit(findings, self._style, fail_on=self._fail_on))
        else:
            self._findings += findings

    def close(self) -> None:
        """Print what had to wait, and the summary on stderr."""
        from babelreg.cli.shared.output import emit
        from babelreg.cli.shared.registry_options import counted

        refused = sum(self._refused.values())
        total = self._good + refused
        if not self._streams:
            self.exit_code = emit(
                self._findings,
                self._style,
                output=self._output,
                fail_on=self._fail_on,
                checked=counted(total),
                counts={"messages": total, "good": self._good, "refused": refused, "control": self._control},
                json_array=self._json_array,
            )
        summary = f"{counted(total)}: {self._good} good, {refused} refused"
        if self._refused:
            summary += f" ({', '.join(f'{reason} {count}' for reason, count in self._refused.most_common())})"
        if self._warnings:
            summary += f", {self._warnings} warning{'' if self._warnings == 1 else 's'}"
        if self._control:
            summary += f"; {self._control} control message{'' if self._control == 1 else 's'} without payload"
        click.echo(summary, err=True)
