"""One flipped bit in an entry of a Delta log: reported, or the same rows for readers; the lake itself never reads it."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "shared"))
import projected
from projected import Lake

from babelreg.lake.publish.table_changes import folder_of
from babelreg.spark import dataset, publish

CREATED = "urn:babel:orders:created"


def _read(lake: Lake) -> list[object] | str:
    """The rows as a reader of Delta gets them, or its error."""
    try:
        return projected.sorted_rows(projected.delta(lake.out, CREATED).to_pylist())
    except BaseException as err:  # a panic of the library is none of Exception
        if isinstance(err, KeyboardInterrupt):
            raise
        return f"{type(err).__name__}: {err}"


@pytest.mark.parametrize(
    "flips", [pytest.param(40, id="here and there"), pytest.param(None, id="every byte", marks=pytest.mark.long)]
)
def test_a_flipped_bit_in_the_newest_entry_is_reported_or_changes_no_row(flips: int | None, lake: Lake) -> None:
    while len(list((lake.out / folder_of(CREATED) / "_delta_log").glob("*.json"))) < 2:
        lake.ingest(publish=["delta"])
    rows, own = _read(lake), dataset(lake.out, CREATED).to_table()
    path = max((lake.out / folder_of(CREATED) / "_delta_log").glob("*.json"))
    content, chance = path.read_bytes(), random.Random(3)
    places = range(len(content)) if flips is None else sorted(chance.sample(range(len(content)), flips))
    reported = 0
    for place in places:
        damaged = bytearray(content)
        damaged[place] ^= 1 << chance.randrange(8)
        path.write_bytes(damaged)
        result = publish(lake.out, ["delta"])
        found = _read(lake)
        told = bool(result.failed) or isinstance(found, str)
        assert told or found == rows, f"byte {place}"
        assert dataset(lake.out, CREATED).to_table().equals(own)
        reported += told
        for later in path.parent.glob("*.json"):  # of a run that took the table for an older one, and caught up
            if later.name > path.name:
                later.unlink()
    path.write_bytes(content)
    print(f"{len(places):,} flips: {reported:,} reported, {len(places) - reported:,} with the same rows")
    assert reported
    assert not publish(lake.out, ["delta"]).failed
    assert projected.check(lake.out, ["delta"])
