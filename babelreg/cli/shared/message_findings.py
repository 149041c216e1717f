"""Findings about a stream of messages: printed as they come, and counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from babelreg.errors import UsageError
from babelreg.finding import Finding, Severity
from babelreg.plural import counted

if TYPE_CHECKING:
    from babelreg.cli.shared.output import Output
    from babelreg.model import Registry

F = TypeVar("F", bound=Callable[..., Any])

_MOST_REASONS = 8
_BY_LINE = frozenset({"text", "jsonl", "github"})


def problem_options(function: F) -> F:
    """Add ``--max-per-problem`` and ``--statistics``, the options of FindingPrinter."""
    most = click.option(
        "--max-per-problem",
        metavar="N",
        type=click.IntRange(1),
        default=3,
        show_default=True,
        help="Print at most N findings of each problem as text, then their count. Other styles and files contain all.",
    )
    statistics = click.option(
        "--statistics", is_flag=True, help="Print the number of findings of each problem instead of the findings."
    )
    return most(statistics(function))


class FindingPrinter:
    """Prints findings as they come, so that memory does not grow with the input; counts for the summary.

    As text, ``max_per_problem`` findings of a problem are printed, and the others counted in lines at the end. With
    ``statistics`` all are counted only. A style that is one document, and a report in a file, have to wait for the end.
    ``registry`` is that of the messages, if there is one. ``json_array``: the style json is an array of findings.

    Raises UsageError for ``statistics`` in another style than text and json, or with a file.
    """

    def __init__(
        self,
        style: str | None,
        output: tuple[Output, ...],
        fail_on: str,
        *,
        max_per_problem: int,
        statistics: bool = False,
        registry: Registry | None = None,
        json_array: bool = False,
    ) -> None:
        from babelreg.cli.shared.message_problems import Problems
        from babelreg.cli.shared.output import default_style

        if statistics and output:
            raise UsageError("--statistics does not write a report", fix="remove --output")
        if statistics and style not in (None, "text", "json"):
            raise UsageError(f"--statistics: there is no style '{style}'", fix="one of text, json")
        replaces_stdout = any(report.style is None for report in output)
        self._style = style or ("text" if replaces_stdout or statistics else default_style())
        self._statistics = statistics
        self._groups = statistics or (self._style == "text" and not replaces_stdout)
        self._problems = Problems(max_per_problem, registry)
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
        from babelreg.cli.shared.output import emit, exit_code

        if not findings:
            return
        self._warnings += sum(finding.severity is Severity.WARNING for finding in findings)
        self.exit_code = max(self.exit_code, exit_code(findings, self._fail_on))
        if self._groups:
            shown = self._problems.shown(findings)
            if shown and not self._statistics:
                emit(shown, "text")
        elif self._streams:
            emit(findings, self._style)
        if self._output or not (self._groups or self._streams):
            self._findings += findings

    def close(self) -> None:
        """Print what had to wait, and the summary on stderr."""

        refused = sum(self._refused.values())
        total = self._good + refused
        if self._statistics:
            self._problems.print_statistics(self._style)
        elif self._groups:
            self._print_closing_lines()
        if self._output or not (self._groups or self._streams):
            self._write_reports(counted(total, "message"), {"messages": total, "good": self._good, "refused": refused})
        summary = f"{counted(total, 'message')}: {self._good:,} good, {refused:,} refused"
        if self._refused:
            summary += f" ({_listed(self._refused)})"
        if self._warnings:
            summary += f", {counted(self._warnings, 'warning')}"
        if self._control:
            summary += f"; {counted(self._control, 'control message')} without payload"
        click.echo(summary, err=True)

    def _print_closing_lines(self) -> None:
        lines = self._problems.closing_lines()
        for line in lines:
            click.echo(line)
        if lines:
            click.echo("raise --max-per-problem to see more of them; --statistics counts all", err=True)

    def _write_reports(self, checked: str, counts: dict[str, int]) -> None:
        from babelreg.cli.shared.output import emit

        emit(
            self._findings,
            self._style,
            output=self._output,
            fail_on=self._fail_on,
            checked=checked,
            counts={**counts, "control": self._control},
            json_array=self._json_array,
            prints=not self._groups,
        )


def _listed(refused: Counter[str]) -> str:
    """Return the most frequent reasons with their counts, and how many more there are."""
    shown = [f"{reason} {count:,}" for reason, count in refused.most_common(_MOST_REASONS)]
    more = len(refused) - len(shown)
    return ", ".join([*shown, counted(more, "more reason")] if more else shown)
