"""The record of projections: when batches were published, about one an hour, and which may be released."""

from __future__ import annotations

from pathlib import Path

import pytest

from babelreg.errors import InputError, UsageError
from babelreg.lake.storage import projections
from babelreg.lake.storage.projections import Projection

HOUR = 3600.0
DAY = 24 * HOUR


def published(*batches: tuple[int, float]) -> Projection:
    projection = Projection("/lake", keep_seconds=int(7 * DAY))
    for number, at in batches:
        projection = projection.marked(number, at)
    return projection


@pytest.mark.parametrize(
    "batches, now, number",
    [
        pytest.param([], 0, 0, id="nothing was published"),
        pytest.param([(1, 0)], 7 * DAY - 1, 0, id="not long enough ago"),
        pytest.param([(1, 0)], 7 * DAY, 1, id="long enough ago"),
        pytest.param([(1, 0), (5, 8 * DAY)], 8 * DAY, 1, id="a later batch does not hide an earlier one"),
        pytest.param([(1, 0), (2, 1), (3, 2)], 8 * DAY, 3, id="of many at once, the newest"),
        pytest.param([(1, 0), (2, 1), (3, 2), (4, 8 * DAY)], 8 * DAY, 3, id="also when one follows much later"),
    ],
)
def test_what_was_published_long_enough_ago_may_be_released(
    batches: list[tuple[int, float]], now: float, number: int
) -> None:
    assert published(*batches).releasable(now) == number


def test_two_weeks_of_batches_every_minute_leave_few_marks() -> None:
    projection = published(*((number, 60.0 * number) for number in range(1, 20_000)))
    assert len(projection.marks) < 2 * 7 * 24 + 3
    assert projection.marks[-1][0] == projection.published == 19_999


def test_what_is_recorded_is_read_again(tmp_path: Path) -> None:
    written = {"delta": published((1, 0), (2, 2 * HOUR)), "iceberg": Projection("/x", settings={"catalog": "prod"})}
    projections.write(tmp_path, written)
    assert projections.read(tmp_path) == written
    assert projections.removable(tmp_path) == 0
    assert projections.removable(tmp_path / "other") is None


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{}",
        "[]",
        '{"format": 2, "projections": {}}',
        '{"format": 1}',
        '{"format": 1, "projections": {"delta": {"location": 1}}}',
        '{"format": 1, "projections": {"delta": {"location": "/x", "published": "1"}}}',
        '{"format": 1, "projections": {"delta": {"location": "/x", "marks": [[1]]}}}',
        '{"format": 1, "projections": {"delta": {"location": "/x", "settings": {"catalog": ["a"]}}}}',
    ],
)
def test_a_damaged_record_is_an_error_and_nothing_is_removed(content: str, tmp_path: Path) -> None:
    projections.write(tmp_path, {})
    (tmp_path / projections.FOLDER / "state.json").write_text(content)
    with pytest.raises(InputError, match="is not the record of projections"):
        projections.removable(tmp_path)


def test_one_run_publishes_at_a_time(tmp_path: Path) -> None:
    with (
        projections.locked(tmp_path),
        pytest.raises(UsageError, match="another run"),
        projections.locked(tmp_path, patience_seconds=0),
    ):
        pass
    with projections.locked(tmp_path, patience_seconds=0):
        pass
