"""The quarantine counted in streams: exact where it must be, bounded where it may grow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from babelreg.errors import InputError
from babelreg.lake.report import refusals, samples
from babelreg.lake.report.redacted_message import MessageMasker
from babelreg.lake.report.refusals import Refusals
from babelreg.lake.storage.log.manifest import Batch
from babelreg.model import Registry

URN = "urn:babel:orders:created.v2"
Commit = Callable[..., Batch]


def row(batch: int, offset: int, **said: Any) -> dict[str, Any]:
    base = {"reason": "below_minimum", "urn": URN, "lang": "php", "source_file": "a.jsonl", "body": b"{}"}
    given = {"pointer": "/data/lines/3/qty", "detail": "/lines/3/qty is below its minimum (minimum: 1)"}
    return {"batch_read": batch, "source_offset": offset, **base, **given, **said}


@pytest.fixture
def scanned(tmp_path: Path, committed: Commit, example: Registry) -> Callable[..., tuple[Refusals, list[Path]]]:
    def scan(*batches: list[dict[str, Any]], batch: int | None = None) -> tuple[Refusals, list[Path]]:
        made = [committed(tmp_path, n, len(rows), {}, rows, Counter()) for n, rows in enumerate(batches, 1)]
        files = [tmp_path / name for one in made for name in one.quarantine.files]
        return refusals.scan(files, frozenset(example.by_urn), MessageMasker(example).pointer, batch), files

    return scan


def test_alike_messages_are_one_group_wherever_in_an_array_they_are_wrong(scanned: Any) -> None:
    places = [
        {"pointer": f"/data/lines/{n}/qty", "detail": f"/lines/{n}/qty is below its minimum (minimum: 1)"}
        for n in range(9)
    ]
    found, _ = scanned([row(1, n, **place) for n, place in enumerate(places)], [row(2, 0, lang="go"), row(2, 9)])
    (group,) = found.groups
    assert group.key == ("below_minimum", URN, "/data/lines/*/qty", "it is below its minimum (minimum: 1)")
    assert (group.rows, group.first, group.last, group.langs) == (11, 1, 2, {"php": 10, "go": 1})
    assert (group.newest.batch, group.newest.row) == (2, 1)
    assert (found.rows, found.ungrouped, found.urns) == (11, 0, {URN: 11})


@pytest.mark.parametrize(
    "said, detail",
    [
        pytest.param(
            {"reason": "missing_required", "pointer": "/data", "detail": "data lacks the property 'total'"},
            "it lacks the property 'total'",
            id="a name of the schema stays",
        ),
        pytest.param(
            {
                "reason": "additional_not_allowed",
                "pointer": "/data",
                "detail": "data has properties that are not declared ('anna@x.y')",
            },
            "a property is not declared",
            id="a name of the message goes",
        ),
        pytest.param(
            {
                "reason": "unknown_urn",
                "urn": "urn:babel:anna",
                "detail": "the registry declares no message 'urn:babel:anna'",
            },
            "the registry does not declare the message",
            id="a URN of the message goes",
        ),
        pytest.param(
            {
                "reason": "invalid_json",
                "pointer": "",
                "detail": "not JSON: Extra data, at line 1 column 77 of the message",
            },
            "not JSON: Extra data, at line … column … of the message",
            id="a place in bytes makes no group",
        ),
        pytest.param(
            {"pointer": "/data/a@b", "detail": "/a@c is below"},
            "a number is less than its minimum",
            id="a sentence that begins otherwise",
        ),
        pytest.param({"reason": "<b>", "detail": "anna"}, "", id="a reason that is none"),
    ],
)
def test_a_sentence_is_told_without_what_the_message_says(said: dict[str, str], detail: str, scanned: Any) -> None:
    found, _ = scanned([row(1, 0, **said)])
    assert found.groups[0].key.detail == detail


def test_a_long_place_is_taken_off_as_the_verdict_cut_it(scanned: Any) -> None:
    place = "/" + "anna@x.y" * 60
    cut = place[:197] + "..."
    found, _ = scanned([row(1, 0, pointer=f"/data{place}", detail=f"{cut} is below its minimum (minimum: 1)")])
    assert found.groups[0].key.detail == "it is below its minimum (minimum: 1)"


def test_of_one_batch_only_what_it_read_is_counted(scanned: Any) -> None:
    found, _ = scanned([row(1, 0), row(1, 1)], [row(2, 0), row(1, 7)], batch=1)
    assert (found.rows, found.groups[0].newest.row) == (3, 1)


def test_a_flood_of_unlike_messages_is_counted_and_the_newest_are_told_apart(
    scanned: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(refusals, "_MOST_GROUPS", 100)
    flood = [
        row(1, n, reason="unknown_urn", urn=f"urn:babel:x{chr(97 + n % 26)}{chr(97 + n // 26)}:y", pointer="/job")
        for n in range(600)
    ]
    found, _ = scanned(flood, [row(2, 0)])
    assert (found.rows, len(found.groups), found.ungrouped, found.urns) == (601, 100, 501, {URN: 1})
    assert any(group.urn == URN for group in found.groups)


def test_a_flood_of_places_costs_a_bounded_number_of_walks(scanned: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(refusals, "_MOST_PLACES", 50)
    found, _ = scanned([row(1, n, pointer=f"/data/{n}@k", detail="") for n in range(500)])
    assert {group.key.pointer: group.rows for group in found.groups} == {"": 450, "/data/*": 50}


def test_the_newest_message_of_the_largest_groups_is_the_sample(scanned: Any, example: Registry) -> None:
    rows = [
        row(1, n, body=b"{%d" % n, reason="invalid_json", urn=None, pointer="", detail=f"{'abcd'[n % 4]}")
        for n in range(3_000)
    ]
    found, files = scanned(rows, [row(2, 5, body=b'{"job": 7}')])
    chosen = samples.read(files, found.groups, MessageMasker(example), per_reason=2)
    assert {reason: [one.source_offset for one in made] for reason, made in chosen.items()} == {
        "invalid_json": [2_996, 2_997],
        "below_minimum": [5],
    }


def test_a_quarantine_file_that_is_none_is_told(tmp_path: Path, example: Registry) -> None:
    (tmp_path / "x.parquet").write_bytes(b"PAR1nothing")
    with pytest.raises(InputError, match="cannot read"):
        refusals.scan([tmp_path / "x.parquet"], frozenset(), MessageMasker(example).pointer)
