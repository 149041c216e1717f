"""A checkpoint or a table that another program wrote to is refused with a way out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import pytest

from babelreg.errors import UsageError
from babelreg.spark.platform.stream import source_claims
from babelreg.spark.platform.stream.checkpoint import Checkpoint, StreamRecord
from babelreg.spark.platform.stream.source_claims import SourceClaim

RECORD = StreamRecord("kafka:orders", "delta", "/tables", "babelqueue", {"orders": "id"})


class FilesCheckpoint(Checkpoint):
    """A checkpoint of files in memory."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self.address, self.files = "/checkpoint", files

    def _read(self, name: str) -> str | None:
        return self.files.get(name)

    def _names(self, folder: str) -> list[str]:
        return [name.removeprefix(f"{folder}/") for name in self.files if name.startswith(f"{folder}/")]


def stream(**other: Any) -> str:
    return json.dumps({"version": 1, "stream": {**asdict(RECORD), **other}})


def test_a_record_is_read() -> None:
    checkpoint = FilesCheckpoint({"babelreg.json": stream(), "metadata": '{"id": "7"}'})
    assert (checkpoint.record(), checkpoint.application()) == (RECORD, "7")


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="empty"),
        pytest.param("[]", id="an array"),
        pytest.param("{}", id="no stream"),
        pytest.param(stream(topics=["orders"]), id="an array of topics"),
        pytest.param(stream(topics={"orders": 1}), id="the id of a topic as a number"),
        pytest.param(stream(at=None), id="no place"),
        pytest.param(stream(surprise=1), id="an unknown member"),
        pytest.param("[" * 100_000, id="deep"),
    ],
)
def test_another_record_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match=r"/checkpoint/babelreg\.json was not written by") as refused:
        FilesCheckpoint({"babelreg.json": text}).record()
    assert "--checkpoint" in (refused.value.fix or "")


@pytest.mark.parametrize("text", ["", "7", "[]", "{}", '{"id": 7}'])
def test_metadata_without_an_id_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="/checkpoint/metadata was not written by"):
        FilesCheckpoint({"metadata": text}).application()


@pytest.mark.parametrize(
    "text, offsets",
    [
        pytest.param('v1\n{}\n{"orders":{"0":5}}', {"orders": {0: 5}}, id="as Spark writes them"),
        pytest.param("", {}, id="empty"),
        pytest.param("v1\n{}\n[]", {}, id="an array"),
        pytest.param('v1\n{}\n{"orders":{"0":null}}', {}, id="null"),
        pytest.param('v1\n{}\n{"orders":{"x":5}}', {}, id="a name for a partition"),
    ],
)
def test_offsets_are_read_where_spark_wrote_them(text: str, offsets: Any) -> None:
    assert FilesCheckpoint({"commits/0": "", "offsets/0": text}).next_offsets() == offsets


CLAIM = asdict(SourceClaim("s", "app", "/other", {"orders": "id"}))


@pytest.mark.parametrize(
    "text, told",
    [
        pytest.param(json.dumps(CLAIM), "already read into /tables, with the checkpoint /other", id="another's"),
        pytest.param("", "that babelreg did not write", id="empty"),
        pytest.param("[]", "that babelreg did not write", id="an array"),
        pytest.param(json.dumps({**CLAIM, "checkpoint": ["/x"]}), "'checkpoint' is not a string", id="a list"),
        pytest.param(json.dumps({**CLAIM, "topics": "orders"}), "'topics' is not an object", id="a text of topics"),
    ],
)
def test_a_property_of_a_table_is_read_by_type(text: str, told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    stored = {source_claims._property("s"): text}
    monkeypatch.setattr(source_claims, "_stored", lambda session, to, at: stored)
    with pytest.raises(UsageError, match=told) as refused:
        source_claims.check(None, "delta", "/tables", "s", {"orders": "id"}, "/mine")  # type: ignore[arg-type]
    assert refused.value.fix
