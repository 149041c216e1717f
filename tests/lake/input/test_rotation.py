"""Rotated logs among the names of input files."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from babelreg.lake.input.rotation import Rotation, rotated_logs

NAMES = st.builds(
    "{}{}{}{}".format,
    st.sampled_from(["", "day/", "day.1/"]),
    st.sampled_from(["app", "app.log", "part"]),
    st.sampled_from(["", ".1", ".1.2", "-20261122", "-00001", ".10.1"]),
    st.sampled_from(["", ".gz", ".jsonl", ".jsonl.zst"]),
)


@given(names=st.sets(NAMES, max_size=12), changed=st.integers(0, 12))
def test_names_of_one_base_are_one_log(names: set[str], changed: int) -> None:
    some = sorted(names)[:changed]
    folders = {name.rpartition("/")[0] for name in some}
    by_base: dict[str, set[str]] = {}
    for name in names:
        if name.rpartition("/")[0] in folders:
            by_base.setdefault(Rotation.of(name).base, set()).add(name)
    assert rotated_logs(sorted(names), some) == {base: logs for base, logs in by_base.items() if len(logs) > 1}


@pytest.mark.parametrize(
    "name, base, takes_turns",
    [
        pytest.param("app.log", "app.log", True, id="the log that is written to"),
        pytest.param("app.log.3.gz", "app.log", True, id="a number"),
        pytest.param("app.log-20261122", "app.log", False, id="a date"),
        pytest.param("day/part-00001.jsonl", "day/part.jsonl", False, id="a number with zeros"),
        pytest.param("2026-11-22/a", "2026-11-22/a", True, id="a date of the folder"),
    ],
)
def test_what_a_name_says(name: str, base: str, takes_turns: bool) -> None:
    assert Rotation.of(name) == (base, takes_turns)
