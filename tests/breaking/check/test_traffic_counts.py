"""Counts of what was seen on the wire, in the spellings people have, and what they keep from being retired."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from babelreg import load
from babelreg.breaking.check import traffic_counts
from babelreg.breaking.check.run import check
from babelreg.errors import InputError
from babelreg.finding import Finding
from babelreg.load.files.tree import Memory

CREATED, PAID = "urn:babel:orders:created", "urn:babel:orders:paid"


@pytest.mark.parametrize(
    "text, counts",
    [
        pytest.param(f'{{"{CREATED}": 12, "{PAID}": 0}}', {CREATED: 12, PAID: 0}, id="one JSON object"),
        pytest.param(f'{{"urn": "{CREATED}", "count": 12}}\n', {CREATED: 12}, id="one JSON line"),
        pytest.param(
            f'{{"urn": "{CREATED}", "count": 12}}\n\n{{"urn": "{CREATED}", "count": 3}}\n',
            {CREATED: 15},
            id="JSON lines",
        ),
        pytest.param(f'[{{"urn": "{PAID}", "count": 1, "queue": "orders"}}]', {PAID: 1}, id="a JSON list"),
        pytest.param(f"urn,count\n{CREATED},12\n{PAID}, 3\n", {CREATED: 12, PAID: 3}, id="CSV with a header"),
        pytest.param(f'"{CREATED}",12\r\n', {CREATED: 12}, id="CSV without one"),
        pytest.param("", {}, id="nothing at all"),
    ],
)
def test_read(tmp_path: Path, text: str, counts: dict[str, int]) -> None:
    file = tmp_path / "traffic"
    file.write_bytes(text.encode())
    assert traffic_counts.read(file) == counts


@pytest.mark.parametrize(
    "text, place",
    [
        pytest.param(f"{CREATED},many\n", ":1:1", id="no number"),
        pytest.param(f"{CREATED},1\n{PAID}\n", ":2:1", id="no count"),
        pytest.param(f"{CREATED},-1\n", ":1:1", id="fewer than none"),
        pytest.param(f'{{"{CREATED}": true}}', "", id="a truth value"),
        pytest.param('{"urn": "a", "count": 1}\n{"urn": \n', ":2:1", id="a line that is cut off"),
        pytest.param("[1, 2]", "", id="a list of something else"),
        pytest.param("[" * 100_000, ":1:1", id="nesting without end"),
        pytest.param(f"{CREATED},{'9' * 5000}\n", ":1:1", id="a number without end"),
    ],
)
def test_what_holds_no_counts(tmp_path: Path, text: str, place: str) -> None:
    file = tmp_path / "traffic"
    file.write_text(text)
    with pytest.raises(InputError) as raised:
        traffic_counts.read(file)
    assert str(raised.value.place) == f"{file}{place}"
    assert raised.value.fix


def registry(text: str | None) -> Any:
    files = {"babelreg.yaml": "version: 1\n"} | ({"orders/created.yaml": text} if text else {})
    return load.from_tree(Memory({path: body.encode() for path, body in files.items()}))


ACTIVE = f"urn: {CREATED}\nkind: event\ndata: {{type: object}}\n"
RETIRED = f"urn: {CREATED}\nstatus: retired\nretired_on: '2026-01-31'\n"
Told = Callable[[list[Finding]], Any]


@pytest.mark.parametrize(
    "old, new, seen, said",
    [
        pytest.param(ACTIVE, RETIRED, {CREATED: 1204}, [("1,204 messages of it were seen",)], id="retired"),
        pytest.param(ACTIVE, RETIRED, {CREATED: 1}, [("1 message of it was seen",)], id="retired, one message"),
        pytest.param(ACTIVE, RETIRED, {CREATED: 0, PAID: 7}, [], id="retired, and silent"),
        pytest.param(ACTIVE, None, {CREATED: 2}, [("2 messages of it were seen",)], id="deleted"),
        pytest.param(
            f"{ACTIVE}aliases: [Orders.Created]\n",
            f"{RETIRED}aliases: [Orders.Created]\n",
            {CREATED: 2, "Orders.Created": 3},
            [("5 messages of it were seen",)],
            id="retired, and seen under an alias, too",
        ),
        pytest.param(ACTIVE, ACTIVE, {CREATED: 2}, [], id="still there"),
        pytest.param(RETIRED, RETIRED, {CREATED: 2}, [], id="retired long since"),
    ],
)
def test_refused(old: str, new: str | None, seen: dict[str, int], said: list[Any]) -> None:
    before, after = registry(old), registry(new)
    found = traffic_counts.refused(check(before, after), before, after, seen)
    assert [(f.rule, f.breaks) for f in found] == [("urn-removed", lines) for lines in said]
