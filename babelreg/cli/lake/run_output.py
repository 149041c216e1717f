"""``--output [STYLE:]FILE`` of the commands that run: reports on a run, whether it succeeds or fails."""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

import click

from babelreg.cli.lake import html_report
from babelreg.cli.shared.output import Output, cannot_write, parsed_output, write_report
from babelreg.errors import BabelregError, UsageError

if TYPE_CHECKING:
    from babelreg.lake.operations.run_record import Command, RunRecord
    from babelreg.model import Registry
    from babelreg.spark import Compacted, Summary

F = TypeVar("F", bound=Callable[..., Any])


def run_output_option(*more: str) -> Callable[[F], F]:
    """Return ``--output`` with the styles of every run and ``more``. The first of all is that of a FILE alone."""
    styles = (*more, "text", "json", "prometheus", "openlineage")

    def outputs(context: click.Context, parameter: click.Parameter, texts: Sequence[str]) -> tuple[Output, ...]:
        result = [parsed_output(text, styles) for text in texts]
        for output in result:
            html_report.existing_folder(context, parameter, output.path)
        if len({os.path.realpath(output.path) for output in result}) < len(result):
            raise UsageError("--output: two reports would go to the same file", fix="give each a separate file")
        return tuple(Output(output.style or styles[0], output.path) for output in result)

    return click.option(
        "--output",
        "reports",
        metavar="[STYLE:]FILE",
        multiple=True,
        callback=outputs,
        help=f"Write a report of the run to FILE, also if it fails. STYLE is one of {', '.join(styles)} "
        f"[default: {styles[0]}]. Repeatable.",
    )


class RunReports:
    """The reports on the runs of one process. As a context, it reports on a run that ends with an exception.

    ``text`` returns the lines of a result. Files hold the last run; if the process ``watches``, events of OpenLineage
    are appended to a log instead. ``html`` is written by :meth:`finish` alone.
    """

    def __init__(
        self,
        command: Command,
        outputs: Sequence[Output],
        lake: Path,
        source: Path | None,
        text: Callable[..., list[str]],
        *,
        watches: bool = False,
    ) -> None:
        for output in outputs:
            html_report.check(output.path, *filter(None, (source, lake)))
        self._command = command
        self._outputs = outputs
        self._lake, self._source = lake, source
        self._text = text
        self._watches = watches
        self._started = _now()
        self._written = False
        self.registry: Registry | None = None

    @property
    def html(self) -> bool:
        """True where a page is wanted."""
        return any(output.style == "html" for output in self._outputs)

    def __enter__(self) -> RunReports:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, err: BaseException | None, trace: TracebackType | None
    ) -> None:
        if err is None or isinstance(err, click.exceptions.Exit) or not self._outputs:
            return
        message = err.message if isinstance(err, BabelregError) else str(err) or type(err).__name__
        try:
            self._write(self._record(None, message))
        except Exception as second:
            click.echo(f"the report was not written: {second}", err=True)

    def begin(self) -> None:
        """Note that a run begins now."""
        self._started = _now()

    def add(self, result: Summary | Compacted) -> None:
        """Write the reports on one run."""
        if self._outputs:
            self._write(self._record(result, None))

    def finish(self, batch: int | None, style: str) -> None:
        """Write the pages, of ``batch`` or of all batches, and name the files; ``style`` is that of stdout."""
        for output in self._outputs:
            if output.style != "html":
                click.echo(f"report: {output.path}", err=style == "json")
            elif self.registry is not None:
                html_report.write_after_run(output.path, self._lake, self.registry, batch, style)

    def _record(self, result: Summary | Compacted | None, error: str | None) -> RunRecord:
        from babelreg.lake.operations.run_record import RunRecord

        started, self._started = self._started, _now()
        return RunRecord(
            self._command, str(uuid.uuid4()), self._lake, self._source, started, self._started, result, error
        )

    def _write(self, record: RunRecord) -> None:
        for output in self._outputs:
            if output.style == "openlineage":
                self._write_events(output.path, record)
            elif output.style != "html":
                write_report(output.path, self._rendered(output, record))

    def _write_events(self, path: Path, record: RunRecord) -> None:
        from babelreg.lake.operations.event_log import append_events
        from babelreg.lake.operations.openlineage import events

        lines = [json.dumps(event, ensure_ascii=False) for event in events(record, self.registry)]
        if not self._watches:
            write_report(path, "".join(f"{line}\n" for line in lines))
            return
        try:
            append_events(path, lines)
        except OSError as err:
            raise cannot_write(path, err) from err

    def _rendered(self, output: Output, record: RunRecord) -> str:
        if output.style == "json":
            return json.dumps(record.as_json(), indent=2, ensure_ascii=False) + "\n"
        if output.style == "text":
            lines = self._text(record.result) if record.result else [f"failed: {record.error}"]
            return "".join(f"{line}\n" for line in lines)
        from babelreg.lake.operations.prometheus import metrics

        return metrics(record, _content(output.path))


def _content(path: Path) -> str:
    try:
        return path.read_text("utf-8", "replace") if path.is_file() else ""
    except OSError:
        return ""


def _now() -> datetime:
    return datetime.now(UTC)
