"""Messages that are sent under aliases, in tables of both formats; tables and logs from before the aliases."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from babelreg import load
from babelreg.lake.ingest.schema_check import spec_of
from babelreg.load.files.tree import Memory
from babelreg.model import Registry
from babelreg.spark import Tables, typed, validate_frame
from babelreg.spark.platform.formats.table_names import QUARANTINE, table_name
from babelreg.spark.platform.tables import batch_log

sys.path.insert(0, str(Path(__file__).parents[3] / "lake" / "shared"))
from lakehouse import WRITERS, Lakehouse, envelope

URN, OTHER, ALIAS = "urn:babel:web:clicked", "urn:babel:web:viewed", "urn:babel:Web.Clicked"


def registry(*aliases: str) -> Registry:
    text = "urn: {}\naliases: {}\nkind: event\ndata: {{type: object, properties: {{n: {{type: integer}}}}}}\n"
    files = {
        "web/clicked.yaml": text.format(URN, json.dumps(aliases)),
        "web/viewed.yaml": text.format(OTHER, "[]"),
        "babelreg.yaml": "version: 1\n",
        "web/_context.yaml": "owner: team-web\n",
    }
    return load.from_tree(Memory({path: body.encode() for path, body in files.items()}))


def frame(spark: Any, *bodies: bytes) -> Any:
    return spark.createDataFrame([(body, number) for number, body in enumerate(bodies)], "value binary, offset long")


@pytest.mark.spark
@pytest.mark.servers
@pytest.mark.parametrize("to, written", WRITERS, indirect=["written"])
def test_a_table_from_before_the_aliases_goes_on_with_the_name_that_was_sent(
    to: str, written: str, new_place: Callable[[str], Lakehouse]
) -> None:
    place = new_place(to)
    old, new = (Tables(declared, place.to, place.at, position=["offset"]) for declared in (registry(), registry(ALIAS)))
    first = frame(place.spark, envelope(URN, "m-1", {"n": 1}), envelope(ALIAS, "m-2", {"n": 2}))
    counts = old.write(first, application="stream", batch=0)
    assert (counts.accepted, counts.quarantined) == (1, 1)
    assert new.write(first, application="stream", batch=0).repeated, "against the schemas that it began with"
    second = [
        envelope(ALIAS, "m-3", {"n": 3}),
        envelope(URN, "m-4", {"n": 4}),
        envelope(ALIAS, "m-1", {"n": 1}),
        envelope(URN, "m-3", {"n": 3}),
        envelope(ALIAS, "m-4", {"n": 5}),
        envelope(OTHER, "m-6", {"n": 6}),
    ]
    counts = new.write(frame(place.spark, *second), application="stream", batch=1)
    duplicates = counts.read - counts.accepted - counts.quarantined
    assert (counts.accepted, duplicates, counts.quarantined) == (3, 2, 1)
    rows = {row["message_id"]: row for row in place.read(table_name(URN))}
    assert {key: (row["urn"], row["sent_urn"]) for key, row in rows.items()} == {
        "m-1": (URN, None), "m-3": (URN, ALIAS), "m-4": (URN, URN),
    }  # fmt: skip
    assert all("sent_urn" not in row for row in place.read(table_name(OTHER)))
    refused = {row["reason"]: (row["urn"], row["body"]) for row in place.read(QUARANTINE)}
    assert refused == {
        "unknown_urn": (ALIAS, envelope(ALIAS, "m-2", {"n": 2})),
        "id_conflict": (URN, second[4]),
    }


@pytest.mark.spark
def test_a_validated_frame_has_the_name_that_was_sent(spark: Any) -> None:
    declared = registry(ALIAS)
    bodies = [envelope(ALIAS, "m-1", {"n": 1}), envelope(URN, "m-2", {"n": 2}), envelope("Else", "m-3", {"n": 3})]
    validated = validate_frame(frame(spark, *bodies), declared, position=["offset"])
    rows = sorted(validated.collect(), key=lambda row: row["offset"])
    assert [(row["urn"], row["sent_urn"], row["reason"]) for row in rows] == [
        (URN, ALIAS, None), (URN, URN, None), ("Else", None, "unknown_urn"),
    ]  # fmt: skip
    table = typed(validated, URN, declared)
    assert sorted((row["sent_urn"], row["data"]["n"]) for row in table.collect()) == [(ALIAS, 1), (URN, 2)]
    assert "sent_urn" not in validate_frame(frame(spark, *bodies), registry(), position=["offset"]).columns


def test_the_log_keeps_the_aliases_and_a_spec_without_them_is_logged_as_before() -> None:
    spec = spec_of(registry(ALIAS), digests=False)
    assert batch_log.unpacked(batch_log.packed(spec)).key == spec.key
    assert batch_log.unpacked(batch_log.packed(spec)).aliases == {ALIAS: URN}
    assert "aliases" not in json.loads(batch_log.packed(spec_of(registry(), digests=False)))


def test_a_column_of_the_position_is_not_named_like_the_one_of_names() -> None:
    from babelreg.errors import UsageError

    with pytest.raises(UsageError, match="'sent_urn' cannot be kept"):
        Tables(registry(ALIAS), "delta", "/lake", position=["sent_urn"])
    Tables(registry(), "delta", "/lake", position=["sent_urn"])
