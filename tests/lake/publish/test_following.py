"""Commands that write a lake keep its projections up; where one fails, that is said once, and tried again."""

from __future__ import annotations

import errno
import shutil
import sys
from collections.abc import Collection
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "shared"))
import projected
from projected import Lake

from babelreg.errors import UsageError
from babelreg.lake.publish import following, formats
from babelreg.lake.publish.following import Follower
from babelreg.lake.publish.run import behind
from babelreg.lake.publish.table_changes import folder_of
from babelreg.lake.storage import projections

CREATED = "urn:babel:orders:created"


class Heard:
    """A follower, and what it said."""

    def __init__(self, lake: Lake, *to: str) -> None:
        self.told: list[str] = []
        self.warned: list[str] = []
        self.follower = Follower(
            lake.out,
            to,
            told=lambda name, caught: self.told.append(name),
            warned=lambda name, why: self.warned.append(f"{name}: {why}"),
        )


def test_what_was_asked_for_and_what_stands_is_published(lake: Lake) -> None:
    first = Heard(lake, "delta")
    first.follower.catch_up()
    first.follower.follow()
    assert first.told == []
    lake.runs("i")
    first.follower.follow()
    second = Heard(lake, "iceberg")
    second.follower.catch_up()
    assert second.told == []
    lake.runs("i")
    second.follower.follow()
    assert second.told == ["iceberg", "delta"]
    assert not second.follower.failed
    assert projected.check(lake.out)


def test_a_run_catches_up_at_its_start(lake: Lake) -> None:
    lake.runs("i", "p", "i")
    assert behind(lake.out) == {"delta": 1, "iceberg": 1}
    Heard(lake).follower.catch_up()
    assert behind(lake.out) == {"delta": 0, "iceberg": 0}
    assert projected.check(lake.out)


def test_iceberg_waits_for_more_batches_until_the_last(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    lake.runs("i")
    heard = Heard(lake, "delta", "iceberg")
    for waiting in range(3):
        heard.follower.follow(last=False)
        assert behind(lake.out) == {"delta": 0, "iceberg": waiting}
        lake.runs("i")
    heard.follower.follow()
    assert behind(lake.out) == {"delta": 0, "iceberg": 0}
    lake.runs("i")
    monkeypatch.setattr(following, "_PAUSE_SECONDS", 0)
    heard.follower.follow(last=False)
    assert behind(lake.out) == {"delta": 0, "iceberg": 0}
    assert projected.check(lake.out)


def test_a_failure_is_said_once_and_over_when_it_is_mended(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    lake.runs("i")
    log = lake.out / folder_of(CREATED) / "_delta_log"
    log.mkdir()
    (log / "00000000000000000000.json").write_text("{")
    heard = Heard(lake, "delta")
    monkeypatch.setattr(following, "_PAUSE_SECONDS", 0)
    heard.follower.follow(last=False)
    heard.follower.follow(last=False)
    assert heard.follower.failed
    assert len(heard.warned) == 1
    assert CREATED in heard.warned[0]
    others = [table for table in projected.tables(lake.out) if table != CREATED]
    assert all((lake.out / folder_of(table) / "_delta_log").exists() for table in others), "others are published"
    shutil.rmtree(log)
    heard.follower.follow()
    assert not heard.follower.failed
    assert projected.check(lake.out, ["delta"])


def test_a_disk_that_is_full_below_the_record_is_a_warning_with_a_way_out(
    lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    lake.runs("i")
    heard = Heard(lake, "delta")

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(projections, "write_whole", full)
        heard.follower.follow()
    (warning,) = heard.warned
    assert f"cannot write to {lake.out}: No space left on device" in warning
    assert "free some space, then run the same command again" in warning
    assert heard.follower.failed
    heard.follower.follow()
    assert not heard.follower.failed
    assert projected.check(lake.out, ["delta"])


def test_a_library_that_is_missing_is_an_error_before_anything_is_written(
    lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    lake.runs("i", "p", "i")
    before = behind(lake.out)
    known = formats.find_spec
    monkeypatch.setattr(formats, "find_spec", lambda name: None if name == "pyiceberg" else known(name))
    for asked in ((), ("delta",), ("iceberg",)):
        with pytest.raises(UsageError, match="pyiceberg is not installed") as caught:
            Heard(lake, *asked)
        assert "pip install 'babelreg[iceberg]', or ingest with --publish none" in str(caught.value.fix)
    with pytest.raises(UsageError, match="pyiceberg is not installed"):
        lake.ingest(publish=["delta"])
    assert behind(lake.out) == before
    assert lake.ingest(publish=None).batch is not None
    assert all(behind(lake.out)[name] > batches for name, batches in before.items())


def test_two_runs_at_once_publish_once(lake: Lake) -> None:
    """Several threads of one process stand for processes: the lock is that of the open file."""
    from concurrent.futures import ThreadPoolExecutor

    lake.runs("i", "i2", "i3")

    def follow(_: int) -> Collection[str]:
        heard = Heard(lake, "delta", "iceberg")
        heard.follower.follow()
        assert not heard.follower.failed, heard.warned
        return heard.told

    with ThreadPoolExecutor(4) as threads:
        told = [name for names in threads.map(follow, range(4)) for name in names]
    assert sorted(told) == ["delta", "iceberg"]
    assert projected.check(lake.out)


def test_ingest_in_python_follows_as_the_command_does(lake: Lake, caplog: pytest.LogCaptureFixture) -> None:
    lake.ingest(publish=["delta"])
    assert behind(lake.out) == {"delta": 0}
    lake.ingest(publish=())
    lake.ingest(publish=None)
    assert behind(lake.out) == {"delta": 1}
    lake.ingest(publish=())
    assert behind(lake.out) == {"delta": 0}
    assert projected.check(lake.out, ["delta"])
    assert not caplog.records
