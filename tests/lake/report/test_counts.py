"""What manifests say together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from babelreg.errors import UsageError
from babelreg.lake.report import counts
from babelreg.lake.report.counts import MessageCounts, ReasonHistory, TableCount
from babelreg.lake.storage.log import manifest
from babelreg.lake.storage.log.manifest import Batch

A, B = "urn:babel:orders:created", "urn:babel:orders:paid"
Commit = Callable[..., Batch]


@pytest.fixture
def batches(tmp_path: Path, committed: Commit) -> tuple[Batch, ...]:
    """Two ingests, a redrive that takes one of three out of quarantine, a compaction."""

    def refused(*reasons: str) -> list[dict[str, Any]]:
        return [{"reason": reason, "batch_read": 1, "body": b""} for reason in reasons]

    committed(tmp_path, 1, 6, {A: [{}, {}]}, refused("poison", "poison", "not_an_integer"), Counter({A: 1}))
    committed(tmp_path, 2, 2, {B: [{}]}, refused("poison"), Counter())
    committed(tmp_path, 3, 3, {A: [{}]}, refused("poison"), Counter({A: 1}), "redrive")
    committed(tmp_path, 4, 0, {A: [{}, {}, {}]}, [], Counter(), "compaction")
    return manifest.read(tmp_path)


def test_all_batches_together_add_up(batches: tuple[Batch, ...]) -> None:
    compacted = counts.of_all(batches, 4)
    assert (compacted.read, compacted.accepted, compacted.duplicates, compacted.quarantined) == (8, 4, 2, 2)
    assert compacted.adds_up
    assert compacted.landed_later == 2
    assert compacted.tables == {A: TableCount(3, 2), B: TableCount(1, 0)}
    assert compacted.reasons == {"poison": ReasonHistory(3, 1, 2), "not_an_integer": ReasonHistory(1, 1, 1)}
    assert [(point.first, point.read, point.refused) for point in compacted.points] == [(1, 6, 3), (2, 2, 1)]


def test_one_batch_has_its_own_counts_and_the_points_of_all(batches: tuple[Batch, ...]) -> None:
    one = counts.of_batch(batches, 4, 3)
    assert (one.read, one.accepted, one.duplicates, one.quarantined, one.adds_up) == (3, 1, 1, 1, True)
    assert len(one.points) == 2


@pytest.mark.parametrize(
    "number, said",
    [
        pytest.param(4, "batch 4 only compacted files", id="a compaction read nothing"),
        pytest.param(9, "batch 9 does not exist", id="no such batch"),
    ],
)
def test_a_batch_that_read_nothing_has_no_report(number: int, said: str, batches: tuple[Batch, ...]) -> None:
    with pytest.raises(UsageError, match=said) as caught:
        counts.of_batch(batches, 4, number)
    assert caught.value.fix == "--batch 3 is the newest"


def test_many_batches_are_drawn_as_few_points_that_lose_none(batches: tuple[Batch, ...]) -> None:
    from dataclasses import replace

    many = (replace(batches[0], number=number) for number in range(1, 10_001))
    found: MessageCounts = counts.of_all(many, 10_000)
    assert len(found.points) <= 72
    assert sum(point.read for point in found.points) == found.read == 60_000
    assert [point.first for point in found.points[1:]] == [point.last + 1 for point in found.points[:-1]]
