"""Small files put together, without Spark: the same rows in the same order, whatever columns each file has."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from babelreg.errors import InputError
from babelreg.lake.arrow import table_schema
from babelreg.lake.tasks import parquet_merge
from babelreg.typemap import spark as typemap

_LEAF = st.sampled_from([{"type": "integer"}, {"type": "string"}, {"type": "boolean"}])
_INNER = st.one_of(
    _LEAF,
    _LEAF.map(lambda leaf: {"type": "object", "properties": {"p": leaf, "q": {"type": "number"}}}),
    _LEAF.map(lambda leaf: {"type": "array", "items": {"type": "object", "properties": {"x": leaf}}}),
    _LEAF.map(lambda leaf: {"type": "object", "additionalProperties": leaf}),
)
SCHEMAS = st.dictionaries(st.sampled_from("abcdé"), _INNER, min_size=1, max_size=5)


def _value(chance: Any, type_: pa.DataType) -> Any:
    """Some value of an Arrow type, often null."""
    if chance.random() < 0.2:
        return None
    if pa.types.is_struct(type_):
        return {field.name: _value(chance, field.type) for field in type_}
    if pa.types.is_map(type_):
        return [(f"k{n}", _value(chance, type_.item_type)) for n in range(chance.randrange(3))]
    if pa.types.is_list(type_):
        return [_value(chance, type_.value_type) for _ in range(chance.randrange(3))]
    if pa.types.is_timestamp(type_):
        return chance.randrange(10**15)
    return {"int64": chance.randrange(99), "double": 0.5, "bool": True}.get(str(type_), "text" * chance.randrange(9))


def _schema(properties: dict[str, Any]) -> pa.Schema:
    return table_schema.table_schema(typemap.columns({"type": "object", "properties": properties}))


def _write(path: Path, schema: pa.Schema, rows: list[dict[str, Any]]) -> Path:
    with table_schema.writer(path, schema) as file:
        for row in rows:  # a row group each, so that there is something to put together
            file.write_table(pa.Table.from_pylist([row], schema))
    return path


def _as_of(value: Any, type_: pa.DataType) -> Any:
    """``value`` as a column of a wider ``type_`` holds it."""
    if value is None:
        return None
    if pa.types.is_struct(type_):
        return {field.name: _as_of(value.get(field.name), field.type) for field in type_}
    if pa.types.is_map(type_):
        return [(key, _as_of(one, type_.item_type)) for key, one in value]
    if pa.types.is_list(type_):
        return [_as_of(one, type_.value_type) for one in value]
    return value


@settings(max_examples=25, deadline=None)
@given(wide=SCHEMAS, dropped=st.lists(st.sets(st.sampled_from("abcdé")), min_size=1, max_size=4), chance=st.randoms())
def test_rows_and_their_order_stay_and_what_a_file_lacks_is_null(
    wide: dict[str, Any], dropped: list[set[str]], chance: Any, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("files")
    paths, expected = [], []
    for number, without in enumerate(dropped):
        schema = _schema({name: one for name, one in wide.items() if name not in without})
        rows = [{field.name: _value(chance, field.type) for field in schema} for _ in range(chance.randrange(4))]
        paths.append(_write(folder / f"{number}.parquet", schema, rows))
        expected += pq.ParquetFile(paths[-1]).read().to_pylist()
    (folder / "out").mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parquet_merge, "_GROUP_BYTES", chance.choice([1, 300, 10**9]))
        patch.setattr(parquet_merge, "_READ_BYTES", chance.choice([1, 300, 10**9]))
        merged = parquet_merge.merge(paths, folder / "out", file_bytes=chance.choice([1, 3000, 10**9]))
    found = [pq.ParquetFile(path).read() for path in merged.files]
    rows = [row for table in found for row in table.to_pylist()]
    assert merged.rows == len(expected)
    leaves = {name for path in paths for name in _leaves(path)}
    for path, table in zip(merged.files, found, strict=True):
        assert rows == [_as_of(row, pa.struct(list(table.schema))) for row in expected]
        assert _leaves(path) == set(_told(table.schema)) == leaves


def _leaves(path: Path) -> set[str]:
    return {pq.ParquetFile(path).schema.column(n).path for n in range(len(pq.ParquetFile(path).schema))}


def _told(schema: pa.Schema) -> list[str]:
    """The columns that Spark is told of, as parquet names them."""

    def below(type_: Any, path: str) -> list[str]:
        if isinstance(type_, str):
            return [path]
        if type_["type"] == "struct":
            return [one for f in type_["fields"] for one in below(f["type"], f"{path}.{f['name']}".lstrip("."))]
        if type_["type"] == "array":
            return below(type_["elementType"], f"{path}.list.element")
        return [f"{path}.key_value.key", *below(type_["valueType"], f"{path}.key_value.value")]

    return below(json.loads(schema.metadata[b"org.apache.spark.sql.parquet.row.metadata"]), "")


def test_a_column_that_changed_its_type_is_refused_by_name(tmp_path: Path) -> None:
    for number, type_ in enumerate(["integer", "string"]):
        schema = _schema({"a": {"type": "array", "items": {"type": type_}}})
        _write(tmp_path / f"{number}.parquet", schema, [])
    with pytest.raises(
        InputError, match=r"0.parquet has 'data.a\[\]' as int64, newer files have it as string"
    ) as raised:
        parquet_merge.merge([tmp_path / "0.parquet", tmp_path / "1.parquet"], tmp_path, file_bytes=1)
    assert raised.value.fix


@pytest.mark.parametrize(
    "content", [pytest.param(None, id="gone"), pytest.param(b"", id="empty"), pytest.param(b"PAR1?PAR1", id="damaged")]
)
def test_a_file_that_cannot_be_read_is_named(content: bytes | None, tmp_path: Path) -> None:
    if content is not None:
        (tmp_path / "a.parquet").write_bytes(content)
    with pytest.raises(InputError, match="cannot read .*a.parquet") as raised:
        parquet_merge.merge([tmp_path / "a.parquet"], tmp_path, file_bytes=1)
    assert raised.value.fix
