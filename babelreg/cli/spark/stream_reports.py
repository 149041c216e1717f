"""Files of ``--output`` of ``babelreg spark stream``: written when it begins, after each batch, and when it ends."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

import click

from babelreg.cli.lake import html_report
from babelreg.cli.shared.output import Output, write_report
from babelreg.cli.spark.stream_lines import summary_lines

if TYPE_CHECKING:
    from babelreg.model import Registry
    from babelreg.spark.platform.stream.stream_batch import StreamBatch
    from babelreg.spark.platform.stream.stream_settings import StreamSettings
    from babelreg.spark.platform.stream.stream_summary import StreamSummary
    from babelreg.spark.platform.tables.batch_totals import BatchTotals

_REFRESH_SECONDS = 15


class StreamReports:
    """The reports on one run of a stream. As a context, it reports how the run ended.

    The file of OpenLineage has the START event, the newest RUNNING event, and that of the end: however long a stream
    runs, the file stays small. Metrics are also refreshed in between: an idle stream can be told from a dead one.
    """

    def __init__(self, outputs: Sequence[Output], settings: StreamSettings) -> None:
        source = str(settings.source)
        folders = [Path(unquote(urlsplit(at).path)) for at in (source, settings.at, settings.checkpoint) if _local(at)]
        for output in outputs:
            html_report.check(output.path, *folders)
        self._outputs = outputs
        self._previous = {output.path: _content(output.path) for output in outputs if output.style == "prometheus"}
        self._run = _begun(settings)
        self._totals: BatchTotals | None = None
        self._events: dict[str, Mapping[str, Any]] = {}
        self._refreshed = time.monotonic()
        self.registry: Registry | None = None

    @property
    def wants_totals(self) -> bool:
        """True where :meth:`begin` needs the counts of earlier runs."""
        return bool(self._previous)

    def __enter__(self) -> StreamReports:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, err: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self._outputs:
            return
        self._run = self._run.ended(_now(), err)
        if err is None:
            self._write()
            return
        try:
            self._write()
        except Exception as second:
            click.echo(f"the report was not written: {second}", err=True)

    def begin(self, totals: BatchTotals | None) -> None:
        """Write the reports of a run that begins; ``totals`` are the counts that the tables have of earlier runs."""
        self._totals = totals
        self._run = self._run.at(_now())
        self._write()

    def add(self, batch: StreamBatch) -> None:
        """Write the reports after a batch."""
        if self._outputs:
            self._run = self._run.with_batch(batch, _now())
            self._write()

    def refresh(self) -> None:
        """Write the metrics again if the last time is a while ago."""
        if self._previous and time.monotonic() - self._refreshed >= _REFRESH_SECONDS:
            self._run = self._run.at(_now())
            self._write(only="prometheus")

    def name_files(self, style: str) -> None:
        """Name the files; ``style`` is that of stdout."""
        for output in self._outputs:
            click.echo(f"report: {output.path}", err=style == "json")

    def _write(self, only: str | None = None) -> None:
        self._refreshed = time.monotonic()
        for output in self._outputs:
            if only in (None, output.style):
                write_report(output.path, self._rendered(output))

    def _rendered(self, output: Output) -> str:
        if output.style == "json":
            return json.dumps(self._run.as_json(), indent=2, ensure_ascii=False) + "\n"
        if output.style == "text":
            return "".join(f"{line}\n" for line in summary_lines(self._run))
        if output.style == "prometheus":
            from babelreg.spark.platform.stream.stream_metrics import metrics

            return metrics(self._run, self._totals, self._previous[output.path])
        return "".join(f"{json.dumps(event, ensure_ascii=False)}\n" for event in self._lineage())

    def _lineage(self) -> list[Mapping[str, Any]]:
        from babelreg.spark.platform.stream import stream_events

        self._events.setdefault("START", stream_events.started(self._run))
        if self._run.ended_at_utc is not None:
            self._events["end"] = stream_events.ended(self._run, self.registry)
        elif self._run.batches:
            self._events["RUNNING"] = stream_events.running(self._run, self.registry)
        return list(self._events.values())


def _begun(settings: StreamSettings) -> StreamSummary:
    from babelreg.spark.platform.stream.stream_summary import StreamSummary

    return StreamSummary(settings, str(uuid.uuid4()), _now())


def _local(address: str) -> bool:
    return urlsplit(address).scheme == "file"


def _content(path: Path) -> str:
    with suppress(OSError):
        return path.read_text("utf-8", "replace") if path.is_file() else ""
    return ""


def _now() -> datetime:
    return datetime.now(UTC)
