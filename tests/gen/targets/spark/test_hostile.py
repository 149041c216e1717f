"""Whatever a registry says, the Spark schemas made from it are schemas only, and every property has a column or a note."""

from __future__ import annotations

import ast
import builtins
import re
import sys
import types
from functools import cache
from typing import Any

import hostile
import pytest
from each import each
from examples import fewer
from hypothesis import given, settings

from babelreg.gen.target import File, files_by_path
from babelreg.gen.targets.spark import package, target
from babelreg.typemap import spark as typemap

CASES = hostile.cases()
each_case = each("name", CASES)

_SQL_LITERAL = re.compile(r"'(?:[^'\\]|\\.)*'|`(?:[^`]|``)*`", re.DOTALL)


@cache
def files() -> dict[str, File]:
    return files_by_path(target.files(hostile.registry(), {}))


def module(name: str) -> str:
    return files()[f"spark_schemas/hostile_case{list(CASES).index(name)}.py"].text


def held_to_declarations(source: str) -> None:
    """Nothing but a docstring, imports of types, and assignments of what these types make."""
    source.encode("utf-8")
    assert hostile.unprintable(source) == set()
    tree = ast.parse(source)
    imported = set()
    for statement in tree.body:
        assert isinstance(statement, ast.Expr | ast.ImportFrom | ast.AnnAssign)
        if isinstance(statement, ast.Expr):
            assert isinstance(statement.value, ast.Constant)
        if isinstance(statement, ast.ImportFrom):
            assert statement.module in ("__future__", "typing", "pyspark.sql.types")
            imported |= {one.name for one in statement.names if statement.module == "pyspark.sql.types"}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            assert isinstance(node.func, ast.Name)
            assert node.func.id in imported
        assert not isinstance(node, ast.Attribute | ast.Subscript | ast.JoinedStr | ast.Lambda | ast.NamedExpr)


def run(source: str) -> dict[str, Any]:
    """The names of ``source`` with types of pyspark that only remember what they were called with."""

    def remembering(name: str) -> Any:
        return lambda *args, **more: (name, args, more)

    stub = types.ModuleType("pyspark.sql.types")
    stub.__getattr__ = remembering  # type: ignore[method-assign]
    names: dict[str, Any] = {}
    before = {name: sys.modules.get(name) for name in ("pyspark", "pyspark.sql", "pyspark.sql.types")}
    sys.modules.update(dict.fromkeys(before, stub))
    try:
        exec(compile(source, "schema", "exec"), names)
    finally:
        for name, kept in before.items():
            if kept is None:
                del sys.modules[name]
            else:
                sys.modules[name] = kept
    return names


def held_to_three_views(sql: str) -> None:
    """Comments, then the rows of the message's own table and two views of them; what the registry says is a literal."""
    head, *rest = sql.split("\n\n", 1)
    assert all(line.startswith("-- ") for line in head.split("\n"))
    plain = _SQL_LITERAL.sub("_", rest[0])
    create, shown = r"CREATE OR REPLACE TEMPORARY VIEW", r"    [\w.,()<>: -]+\n"
    rows = rf"{create} \w+__rows \(\n[\w<>(),: \n]+\)\nUSING parquet\nOPTIONS \(path _\);\n"
    view = rf"\n{create} \w+\nCOMMENT _\nAS SELECT\n(?:{shown})+FROM \w+__rows;\n"
    assert re.fullmatch(rows + view + view, plain), plain
    assert plain.count(";") == 3


def names_of(schema: dict[str, Any]) -> set[str]:
    return set(schema["properties"]) if isinstance(schema.get("properties"), dict) else set()


@each_case
def test_the_module_holds_declarations_only(name: str) -> None:
    held_to_declarations(module(name))


@each_case
def test_running_it_runs_nothing_of_the_registry(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    monkeypatch.setattr(builtins, hostile.TRACE, seen, raising=False)
    kind, (fields,), more = run(module(name))[f"HOSTILE_CASE{list(CASES).index(name)}"]
    wanted = typemap.mapped(CASES[name][1]).struct.fields
    assert (kind, more) == ("StructType", {})
    assert [args[0] for _, args, _ in fields] == [field.name for field in wanted]
    assert seen == []


@each_case
def test_the_views_are_three_statements(name: str) -> None:
    held_to_three_views(files()[f"spark_schemas/hostile_case{list(CASES).index(name)}.sql"].text)


@each_case
def test_every_property_has_a_column_or_a_note(name: str) -> None:
    schema = CASES[name][1]
    mapped = typemap.mapped(schema)
    columns = {field.name for field in mapped.struct.fields}
    noted = {note.path for note in mapped.notes if note.what == "no-column"}
    left = names_of(schema) - columns - noted
    assert left == set() or "" in noted  # a note of the whole says it of each
    text = bare(module(name))  # whose long comments go on on further lines
    assert all(bare(package._note(note)) in text for note in mapped.notes)


def bare(text: str) -> str:
    return re.sub(r"[\s#]", "", text)


def test_the_index_holds_declarations_only() -> None:
    tree = ast.parse(files()["spark_schemas/__init__.py"].text)
    relative = [node.module for node in tree.body if isinstance(node, ast.ImportFrom) and node.level == 1]
    assert len(relative) == len(CASES)
    assert not [node for node in ast.walk(tree) if isinstance(node, ast.Call)]


@settings(max_examples=fewer(10, 25), deadline=None)
@given(hostile.texts())
def test_no_text_gets_out(text: str) -> None:
    made = files_by_path(target.files(hostile.registry({"fuzz": (text, hostile.of_text(text))}), {}))
    held_to_declarations(made["spark_schemas/hostile_case0.py"].text)
    held_to_three_views(made["spark_schemas/hostile_case0.sql"].text)
