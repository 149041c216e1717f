"""The SQL of the views of all versions: their branches, and what is hidden before the upcast."""

from __future__ import annotations

import json
from typing import Any

import pytest

from babelreg import load
from babelreg.gen.targets.spark.version_views import VersionTable, version_queries
from babelreg.typemap import spark
from babelreg.typemap.spark.upcast import UntranslatableUpcast

OLD, NEW = "urn:babel:orders:created", "urn:babel:orders:created.v2"
AROUND = {"urn": "string", "message_id": "string"}


def queries(old: Any, new: Any, upcast: list[Any], around: dict[str, str] | None = None) -> tuple[str, str]:
    messages = {"created": {"urn": OLD, "data": old}, "created.v2": {"urn": NEW, "data": new, "supersedes": OLD}}
    files = {"babelreg.yaml": b"version: 1\n", "orders/_context.yaml": b"owner: team\n"}
    for name, message in messages.items():
        text = {**message, "kind": "event", "data": {"type": "object", "properties": message["data"]}}
        files[f"orders/{name}.yaml"] = json.dumps(text).encode()
    registry = load.from_tree(load.files.tree.Memory(files))
    structs = {urn: spark.columns(registry.schemas[urn]) for urn in (OLD, NEW)}
    tables = [
        VersionTable(registry.by_urn[NEW], "new_rows", structs[NEW], AROUND),
        VersionTable(registry.by_urn[OLD], "old_rows", structs[OLD], around or AROUND, upcast),
    ]
    return version_queries(registry.by_urn[NEW], structs[NEW], tables)


def test_the_versions_are_joined_in_the_newest_columns() -> None:
    plain, _ = queries({"a": {"type": "string"}}, {"b": {"type": "string"}}, [{"rename": {"a": "b"}}])
    newest, older = plain.split(" UNION ALL ")
    assert newest.startswith("SELECT urn, message_id, upcast_from, upcast_error, data.b, data_json FROM (SELECT ")
    assert "named_struct('b', data.b) AS data, data_json, CAST(NULL AS STRING) AS upcast_from" in newest
    assert f"named_struct('b', data.a) AS data, data_json, '{OLD}' AS upcast_from" in older
    assert older.endswith("FROM old_rows))")


def test_personal_data_is_hidden_before_it_gets_another_name() -> None:
    marked = {"type": "string", "x-gdpr-sensitive": "email"}
    plain, masked = queries({"a": marked}, {"b": {"type": "string"}}, [{"rename": {"a": "b"}}])
    assert "FROM old_rows)" in plain
    assert "named_struct('a', CAST(NULL AS STRING))) AS data, data_json FROM old_rows)" in masked


def test_a_column_that_one_table_lacks_is_null_there() -> None:
    plain, _ = queries({}, {"b": {"type": "string"}}, [], {"urn": "string", "offset": "bigint"})
    assert "CAST(NULL AS bigint) AS `offset`" in plain.split(" UNION ALL ")[0]
    assert "CAST(NULL AS string) AS message_id" in plain.split(" UNION ALL ")[1]


@pytest.mark.parametrize(
    "old, around, says",
    [
        pytest.param({"a": {"type": "integer"}}, None, f"{OLD}: a is BIGINT before and STRING after it", id="a type"),
        pytest.param({"${x}": {"type": "string"}}, None, f"{OLD}: Spark expands", id="a variable"),
        pytest.param({}, {"upcast_from": "string"}, "tables have a column 'upcast_from' of their own", id="a column"),
    ],
)
def test_versions_that_no_view_can_join(old: Any, around: dict[str, str] | None, says: str) -> None:
    with pytest.raises(UntranslatableUpcast, match=says.replace("$", r"\$")):
        queries(old, {"a": {"type": "string"}}, [], around)
