from __future__ import annotations

import importlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from generated import MYPY

from babelreg import load
from babelreg.errors import BabelregError, UsageError
from babelreg.gen.target import files_by_path
from babelreg.gen.targets.spark import target
from babelreg.gen.write import write
from babelreg.model import Registry
from babelreg.typemap import spark as typemap

ROOT = Path(__file__).resolve().parents[4]
EXAMPLE = ROOT / "registry.example"
GOLDEN = ROOT / "tests" / "golden" / "spark"

HOSTILE = r"""
description: "quotes ' and \" and \"\"\" and \\ and {{ 7 * 7 }} and -- and '; DROP TABLE x; --"
data:
  type: object
  properties:
    "a`b": {type: integer}
    "it's \"here\"": {type: string, description: "it's \"here\"\\"}
    "line\nbreak\u202e": {type: string, description: "line\nbreak\u202e"}
    "{{ x }}": {type: object, properties: {select: {type: string, format: date}}}
    class: {type: array, items: {type: object, properties: {import: {}}}}
    "): __import__('os')": {type: object, additionalProperties: {type: number}}
"""


def in_memory(messages: dict[str, str]) -> Registry:
    files = {"babelreg.yaml": b"version: 1\n"}
    for path, data in messages.items():
        context, _, name = path.partition("/")
        head = f"urn: urn:babel:{context}:{name}\nkind: event\nstatus: draft\nowner: t\n"
        files[f"{context}/_context.yaml"] = b"owner: t\n"
        files[f"{path}.yaml"] = (head + data).encode()
    return load.from_tree(load.files.tree.Memory(files))


def texts(registry: Registry, options: dict[str, Any] | None = None) -> dict[str, str]:
    return {path: file.text for path, file in files_by_path(target.files(registry, options or {})).items()}


def run(folder: Path, *args: str, **env: str) -> subprocess.CompletedProcess[str]:
    """Python in ``folder``, without this repository on its path unless ``env`` says so."""
    settings = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "MYPYPATH")}
    return subprocess.run(
        [sys.executable, *args], cwd=folder, env={**settings, **env}, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(
    "name",
    [
        "__init__.py",
        "orders_created_v2.py",
        "orders_created_v2.sql",
        "views.py",
    ],
)
def test_what_a_user_reads(name: str) -> None:
    text = texts(load.registry(EXAMPLE))[f"spark_schemas/{name}"]
    golden = GOLDEN / name
    if os.environ.get("BABELREG_GOLDEN") == "write":
        golden.parent.mkdir(parents=True, exist_ok=True)
        golden.write_text(text, "utf-8")
    assert text == golden.read_text("utf-8"), "read the difference; BABELREG_GOLDEN=write pytest accepts it"


@pytest.mark.parametrize(
    "registry",
    [
        pytest.param(lambda: load.registry(EXAMPLE), id="the example"),
        pytest.param(lambda: in_memory({"odd/created": HOSTILE}), id="names and descriptions that want out"),
    ],
)
def test_pyspark_reads_the_same_types_as_the_map_says(
    registry: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    types = pytest.importorskip("pyspark.sql.types")
    loaded = registry()
    assert not loaded.defects
    package = f"spark_schemas_{tmp_path.name.replace('-', '_')}"
    write(tmp_path, "spark", target.files(loaded, {"package": package}))
    monkeypatch.syspath_prepend(str(tmp_path))
    schemas = importlib.import_module(package).SCHEMAS
    wanted = {
        urn: types.StructType.fromJson(typemap.as_json(typemap.columns(schema)))
        for urn, schema in loaded.schemas.items()
        if loaded.by_urn[urn].status != "retired"
    }
    assert schemas == wanted
    assert all(schema.fields for schema in schemas.values())


@pytest.mark.mypy
def test_the_package_passes_mypy_strict_and_ruff(tmp_path: Path) -> None:
    pytest.importorskip("pyspark.sql.types")
    write(tmp_path, "spark", target.files(load.registry(EXAMPLE), {}))
    write(tmp_path / "odd", "spark", target.files(in_memory({"odd/created": HOSTILE}), {}))
    for args in (
        [*MYPY, "spark_schemas"],
        ["-m", "ruff", "check", "--isolated", "--no-cache", "."],
        ["-m", "ruff", "format", "--check", "--isolated", "--no-cache", "."],
    ):
        found = run(tmp_path, *args)
        assert found.returncode == 0, found.stdout + found.stderr


def test_writing_needs_neither_java_nor_pyspark(tmp_path: Path) -> None:
    script = (
        "import sys; sys.modules['pyspark'] = None\n"
        "from babelreg import load; from babelreg.gen.targets.spark import target as spark\n"
        f"print(len(list(spark.files(load.registry({str(EXAMPLE)!r}), {{}}))))"
    )
    found = run(tmp_path, "-c", script, PYTHONPATH=str(ROOT), PATH="", JAVA_HOME="")
    assert found.returncode == 0, found.stderr
    assert int(found.stdout) == 4 + 2 * (len(list(EXAMPLE.glob("[a-z]*/[a-z]*.yaml"))) - 1)  # one is retired


def test_one_more_field_changes_that_messages_files_alone() -> None:
    data = "data: {type: object, properties: {a: {type: string}}}\n"
    more = "data: {type: object, properties: {a: {type: string}, b: {type: integer}}}\n"
    before = texts(in_memory({"orders/created": data, "orders/placed": data}))
    after = texts(in_memory({"orders/created": more, "orders/placed": data}))
    changed = {path for path in after if before[path] != after[path]}
    assert changed == {"spark_schemas/orders_created.py", "spark_schemas/orders_created.sql"}


def test_the_module_says_what_its_columns_leave_out() -> None:
    data = "data: {type: object, properties: {a: {}, Id: {type: string}, id: {type: string}}}\n"
    text = texts(in_memory({"orders/created": data}))["spark_schemas/orders_created.py"]
    assert "#   a: holds JSON text: its type is not declared\n" in text
    assert "#   id: has no column: Spark ignores case, and there is already a column 'Id'\n" in text


def test_a_message_without_properties_has_no_columns_and_views_of_its_envelope() -> None:
    files = texts(in_memory({"orders/created": "data: {type: object}\n"}))
    assert "ORDERS_CREATED: Final = StructType([])" in files["spark_schemas/orders_created.py"]
    assert 'DDL: Final = ""' in files["spark_schemas/orders_created.py"]
    assert "data STRUCT" not in files["spark_schemas/orders_created.sql"]
    assert "    data." not in files["spark_schemas/orders_created.sql"]
    compile(files["spark_schemas/orders_created.py"], "orders_created.py", "exec")


def test_a_registry_without_messages_gives_an_empty_index() -> None:
    namespace: dict[str, Any] = {}
    exec(texts(in_memory({}))["spark_schemas/__init__.py"], namespace)
    assert namespace["SCHEMAS"] == {}


@pytest.mark.parametrize("name", ["", "../out", "Class", "class", "a-b", "1st", 5, None])
def test_a_package_name_that_is_none_is_refused_with_a_way_out(name: Any) -> None:
    with pytest.raises(UsageError, match="cannot be the name of a package") as refused:
        texts(in_memory({}), {"package": name})
    assert "spark_schemas" in (refused.value.fix or "")


def test_two_messages_of_one_module_name_are_refused() -> None:
    data = "data: {type: object}\n"
    with pytest.raises(BabelregError, match="orders_a_b"):
        texts(in_memory({"orders/a.b": data, "orders/a_b": data}))
