"""Reports on a run of a stream: written at each batch, while it waits, and when it ends."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from babelreg.cli.shared.output import Output
from babelreg.cli.spark import stream_reports
from babelreg.cli.spark.stream_reports import StreamReports
from babelreg.errors import InputError
from babelreg.lake.operations.exposition import samples
from babelreg.spark.platform.stream import stream_settings
from babelreg.spark.platform.stream.stream_batch import StreamBatch
from babelreg.spark.platform.tables.batch_counts import BatchCounts
from babelreg.spark.platform.tables.batch_totals import BatchTotals

URN = "urn:babel:orders:created"
STYLES = ["text", "json", "prometheus", "openlineage"]
EXAMPLE = Path(__file__).parents[3] / "registry.example"


@pytest.fixture
def reports(tmp_path: Path) -> Callable[[], StreamReports]:
    settings = stream_settings("kafka://broker/orders", "delta", "/data/tables", "/data/checkpoint")
    return lambda: StreamReports([Output(style, tmp_path / style) for style in STYLES], settings)


def _batch(number: int) -> StreamBatch:
    rows = ((URN, "accepted", None, 2), (None, "quarantined", "poison", 1))
    return StreamBatch(BatchCounts("app", number, rows), 1.5, {"orders-0": 4})


def _events(tmp_path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (tmp_path / "openlineage").read_text().splitlines()]


def _value(tmp_path: Path, name: str) -> float:
    (sample,) = samples((tmp_path / "prometheus").read_text())[f"babelreg_stream_{name}"]
    return sample.value


def test_files_are_those_of_a_run_that_runs_until_it_ends(reports: Callable[[], StreamReports], tmp_path: Path) -> None:
    with reports() as reporting:
        reporting.begin(BatchTotals(3, ((URN, "accepted", None, 10),)))
        assert json.loads((tmp_path / "json").read_text())["run"]["ended_at"] is None
        assert [event["eventType"] for event in _events(tmp_path)] == ["START"]
        for number in (3, 4):
            reporting.add(_batch(number))
        assert (_value(tmp_path, "running"), _value(tmp_path, "read_total")) == (1, 16)
        assert (tmp_path / "text").read_text().splitlines() == [
            "2 batches of kafka://broker:9092/orders in delta tables at file:///data/tables",
            "6 read = 4 stored + 2 quarantined",
            "batch 4: 3 read = 2 stored + 1 quarantined (poison 1) | 2 messages/s, 4 behind",
            "the stream is running",
        ]
    summary = json.loads((tmp_path / "json").read_text())
    assert [summary[name] for name in ("batches", "read", "stored", "quarantined")] == [2, 6, 4, 2]
    assert summary["last_batch"] == _batch(4).as_json()
    assert summary["refused"] == {"other": {"poison": 2}}
    assert (summary["run"]["command"], summary["run"]["succeeded"]) == ("stream", True)
    assert _value(tmp_path, "running") == 0


def test_the_events_of_a_long_run_stay_few(reports: Callable[[], StreamReports], tmp_path: Path) -> None:
    with reports() as reporting:
        reporting.begin(None)
        for number in range(20):
            reporting.add(_batch(number))
    events = _events(tmp_path)
    assert [event["eventType"] for event in events] == ["START", "RUNNING", "COMPLETE"]
    assert len({event["run"]["runId"] for event in events}) == 1
    rows = [event["inputs"][0]["inputFacets"]["inputStatistics"]["rowCount"] for event in events[1:]]
    assert rows == [60, 60]


def test_metrics_of_an_idle_stream_are_refreshed(
    reports: Callable[[], StreamReports], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with reports() as reporting:
        reporting.begin(BatchTotals())
        before = {style: (tmp_path / style).read_text() for style in STYLES}
        reporting.refresh()
        assert (tmp_path / "prometheus").read_text() == before["prometheus"]
        monkeypatch.setattr(stream_reports, "_REFRESH_SECONDS", 0)
        reporting.refresh()
        changed = [style for style in STYLES if (tmp_path / style).read_text() != before[style]]
    assert changed == ["prometheus"]


def test_a_run_that_fails_before_its_first_batch_is_reported(
    reports: Callable[[], StreamReports], tmp_path: Path
) -> None:
    with pytest.raises(InputError), reports():
        raise InputError("Kafka does not answer", fix="check the address")
    assert (tmp_path / "text").read_text().splitlines()[-1] == "failed: Kafka does not answer"
    assert json.loads((tmp_path / "json").read_text())["run"]["error"] == "Kafka does not answer"
    assert _value(tmp_path, "last_run_success") == 0
    assert [event["eventType"] for event in _events(tmp_path)] == ["START", "FAIL"]


def test_a_report_that_cannot_be_written_does_not_hide_the_error(
    reports: Callable[[], StreamReports], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "text").mkdir()
    with pytest.raises(InputError, match="the first"), reports():
        raise InputError("the first")
    assert "the report was not written" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments, problem",
    [
        pytest.param(["--output", "html:r.html"], "there is no report style 'html'", id="a page of a lake"),
        pytest.param(["--output", "json:no/r.json"], "the folder of no/r.json does not exist", id="no folder"),
        pytest.param(["--output", "json:in/r.json"], "would be inside", id="a file in the input"),
        pytest.param(["--output", "json:checkpoint/r.json"], "would be inside", id="a file in the checkpoint"),
    ],
)
def test_a_report_that_could_not_be_written_is_wrong_use(
    arguments: list[str], problem: str, run: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for folder in ("in", "checkpoint"):
        Path(folder).mkdir()
    place = ["--from", "in", "--to", "delta", "--at", "./tables", "--checkpoint", "checkpoint"]
    code, _, err = run("spark", "stream", *place, "--registry", str(EXAMPLE), *arguments)
    assert (code, problem in err) == (2, True), err
