"""Messages that ``babelreg gen`` makes no files from: a schema that cannot be used, a name that Spark expands."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

FINE = "data: {type: object, properties: {a: {type: string}}}\n"
UNUSABLE = {
    "a pattern": ('data: {type: object, properties: {a: {type: string, pattern: "("}}}\n', "5:62"),
    "a bound": ('data: {type: object, properties: {a: {type: integer, minimum: "x"}}}\n', "5:63"),
    "a type": ("data: {type: object, properties: {a: {type: objct}}}\n", "5:45"),
}
VARIABLE = "data: {type: object, properties: {b: {type: string}, '${env:HOME}': {type: string}}}\n"


@pytest.fixture(autouse=True)
def registry(tmp_path, monkeypatch):
    """A registry with one sound message, in the current folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BABELREG_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("BABELREG_REGISTRY", "registry")
    Path("registry/shop").mkdir(parents=True)
    Path("registry/babelreg.yaml").write_text("version: 1\n")
    Path("registry/shop/_context.yaml").write_text("owner: t\n")
    put("fine", FINE)


def put(name: str, data: str, status: str = "active") -> None:
    text = f"urn: urn:babel:shop:{name}\nkind: event\nstatus: {status}\nowner: t\n{data}"
    Path(f"registry/shop/{name}.yaml").write_text(text)


def written(folder: str) -> set[str]:
    return {path.name for path in Path(folder).rglob("*") if path.is_file()}


@pytest.mark.parametrize("check", [pytest.param([], id="to write"), pytest.param(["--check"], id="to check")])
@pytest.mark.parametrize("data, place", UNUSABLE.values(), ids=UNUSABLE)
@pytest.mark.parametrize("target", ["python", "docs"])
def test_an_unusable_schema_stops_the_run_before_anything_is_written(run, target, data, place, check):
    put("broken", data)
    code, out, err = run("gen", target, "--out", "made", *check)
    assert (code, written("made")) == (1, set())
    assert out.startswith(f"registry/shop/broken.yaml:{place}: error: urn:babel:shop:broken cannot be generated: ")
    assert "[schema-invalid]\n  fix: " in out
    assert err == ("made: not compared\n" if check else "made: nothing written\n")


@pytest.mark.parametrize("target", ["python", "docs"])
def test_what_was_generated_stays_when_a_schema_becomes_unusable(run, target):
    put("broken", FINE)
    assert run("gen", target, "--out", "made")[0] == 0
    before = written("made")
    put("broken", UNUSABLE["a pattern"][0])
    for _ in range(2):
        assert run("gen", target, "--out", "made")[0] == 1
        assert written("made") == before


@pytest.mark.parametrize(
    "data, place, rule",
    [*((data, place, "schema-invalid") for data, place in UNUSABLE.values()),
     (VARIABLE, "5:54", "property-name-variable")],
    ids=[*UNUSABLE, "a variable in a name"],
)  # fmt: skip
def test_spark_leaves_such_a_message_out_by_name_and_writes_the_others(run, data, place, rule):
    put("broken", data)
    for _ in range(2):  # the second time nothing changes, and it is reported again
        code, out, _ = run("gen", "spark", "--out", "made")
        assert code == 1
        assert out.startswith(f"registry/shop/broken.yaml:{place}: error: urn:babel:shop:broken is left out: ")
        assert f"[{rule}]\n  fix: " in out
        assert {"shop_fine.py", "shop_fine.sql"} <= written("made")
        assert not {"shop_broken.py", "shop_broken.sql"} & written("made")
    views = Path("made/spark_schemas/views.py").read_text()
    assert '"urn:babel:shop:broken": "' in views.partition("LEFT_OUT: Final")[2].partition("}\n")[0]
    code, out, err = run("gen", "spark", "--out", "made", "--check", "--format", "json")
    assert (code, err) == (1, "made: up to date; 1 message left out\n")
    found = json.loads(out)
    assert [one["rule"] for one in (found["findings"] if isinstance(found, dict) else found)] == [rule]
    assert run("explain", rule)[0] == 0
    assert f"[{rule}]" in run("lint")[1]


def test_a_message_that_was_corrected_is_written(run):
    put("broken", UNUSABLE["a bound"][0])
    assert run("gen", "spark", "--out", "made")[0] == 1
    put("broken", FINE)
    assert run("gen", "spark", "--out", "made")[0] == 0
    assert "shop_broken.sql" in written("made")


@pytest.mark.parametrize("target", ["python", "docs"])
def test_a_name_that_spark_expands_stops_no_other_target(run, target):
    put("odd", VARIABLE)
    assert run("gen", target, "--out", "made")[0] == 0


@pytest.mark.parametrize(
    "data",
    [
        pytest.param("data: {type: object, description: 'like ${env:HOME}'}\n", id="a description"),
        pytest.param("data: {type: object, properties: {a: {enum: ['${env:HOME}']}}}\n", id="a value"),
        pytest.param("data: {type: object, properties: {a: {default: '${env:HOME}'}}}\n", id="a default"),
        pytest.param(
            "data: {type: object, properties: {a: {oneOf: [{type: string}, {properties: {'${b}': {}}}]}}}\n",
            id="a name within JSON text",
        ),
    ],
)
def test_a_variable_that_names_no_column_is_no_obstacle(run, data):
    put("odd", data)
    assert run("gen", "spark", "--out", "made")[0] == 0
    assert "shop_odd.sql" in written("made")
    assert "${env" not in Path("made/spark_schemas/shop_odd.sql").read_text()


def test_a_tombstone_with_an_unusable_schema_stops_nothing(run):
    put("gone", "retired_on: '2020-01-01'\n", status="retired")
    assert run("gen", "python", "--out", "made")[0] == 0


def test_an_unusable_fragment_is_reported_in_its_own_file(run):
    Path("registry/_common").mkdir()
    Path("registry/_common/code.yaml").write_text("type: string\npattern: '('\n")
    put("broken", "data: {type: object, properties: {code: {$ref: ../_common/code.yaml}}}\n")
    code, out, _ = run("gen", "python", "--out", "made")
    assert (code, out.partition(": error: ")[0]) == (1, "registry/_common/code.yaml:2:10")
