from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from babelreg.containment.certificates import checker, files
from babelreg.containment.certificates.checker import CertificateRefused, check
from babelreg.containment.schema_pair import certify, compare, verify
from babelreg.errors import InputError

OLD: Any = {
    "type": "object",
    "required": ["id"],
    "properties": {
        "id": {"type": "integer", "minimum": 1, "title": "Id"},
        "code": {"type": "string", "pattern": "^[ab]$"},
    },
}
NEW: Any = {
    "type": "object",
    "required": ["id"],
    "properties": {
        "id": {"type": "number"},
        "code": {"type": "string", "pattern": "^[a-z]+$"},
        "more": {"enum": [1, 2]},
    },
}
OPTIONS: Any = {"reader": "tolerant", "formats": "asserted"}


def made(old: Any = OLD, new: Any = NEW, **options: Any) -> dict[str, Any]:
    return certify(old, new, **{**OPTIONS, **options})[1]


def test_a_certificate_holds_for_the_schemas_that_it_was_made_for(tmp_path: Path) -> None:
    path = tmp_path / "certificate.json"
    path.write_text(files.text(made()), "utf-8")
    assert verify(files.read(path), OLD, NEW, **OPTIONS) == ["backward"]


@pytest.mark.parametrize("reader", ["tolerant", "strict"])
def test_equal_schemas_are_certified_both_ways(reader: Any) -> None:
    comparison, content = certify(OLD, {**OLD, "title": "Order"}, reader=reader, formats="asserted")
    assert [comparison.backward.certified, comparison.forward.certified] == [True, True]
    assert verify(content, OLD, OLD, reader=reader, formats="asserted") == ["backward", "forward"]


def test_the_same_schemas_give_the_same_bytes() -> None:
    assert files.text(made()) == files.text(made())


@pytest.mark.parametrize(
    "old, new, options, reason",
    [
        pytest.param(NEW, OLD, {}, "for other schemas", id="the schemas are swapped"),
        pytest.param(OLD, {**NEW, "required": []}, {}, "for other schemas", id="another new schema"),
        pytest.param(OLD, NEW, {"reader": "strict"}, 'with reader "tolerant"', id="another reader"),
        pytest.param(OLD, NEW, {"formats": "ignored"}, "with formats true", id="formats are not asserted"),
    ],
)
def test_a_certificate_of_something_else_is_refused(old: Any, new: Any, options: Any, reason: str) -> None:
    with pytest.raises(CertificateRefused, match=reason):
        verify(made(), old, new, **{**OPTIONS, **options})


def test_a_file_without_a_certificate_is_refused() -> None:
    with pytest.raises(CertificateRefused, match="certifies no direction"):
        verify(made({"type": "string"}, {"type": "number"}), {"type": "string"}, {"type": "number"}, **OPTIONS)


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"format": "other"}', "[" * 100_000])
def test_another_file_is_no_certificate(content: str, tmp_path: Path) -> None:
    path = tmp_path / "certificate.json"
    path.write_text(content, "utf-8")
    with pytest.raises(InputError, match="is not a file of certificates"):
        files.read(path)


def test_a_file_of_the_old_format_is_refused_with_the_line_that_writes_it_anew(tmp_path: Path) -> None:
    path = tmp_path / "certificate.json"
    path.write_text(files.text({**made(), "version": 2}), "utf-8")
    with pytest.raises(InputError, match="version 2; this release reads version 3") as refused:
        files.read(path)
    assert "babelreg compare OLD NEW --certificate FILE" in str(refused.value.fix)


def _changed(*path: Any, to: Any) -> Any:
    certificate = copy.deepcopy(made()["backward"])
    holder = certificate
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = to
    return certificate


@pytest.mark.parametrize(
    "change, to",
    [
        pytest.param(("version",), 1, id="another version"),
        pytest.param(("dialect",), "draft3", id="another dialect"),
        pytest.param(("formats",), "yes", id="formats is not a boolean"),
        pytest.param(("more",), 1, id="one key more"),
        pytest.param(("readings",), {"ecma": 0}, id="Python's reading is missing"),
        pytest.param(("readings", "ecma"), 10_000, id="no such step"),
        pytest.param(("readings", "ecma"), -1, id="a negative step"),
        pytest.param(("readings", "ecma"), True, id="a step that is true"),
        pytest.param(("steps", -1, 0), "magic", id="an unknown rule"),
        pytest.param(("steps", -1), ["types", ["object"], [0], 1], id="a step with one field more"),
        pytest.param(("steps", -1, 2), [10_000], id="a premise that comes later"),
        pytest.param(("steps",), None, id="no steps"),
        pytest.param(("steps", -2, 1, 0), 10_000, id="a subschema that there is not"),
        pytest.param(("tables", 0, "rows"), [], id="an empty table"),
        pytest.param(("tables", 0, "more"), 1, id="a table with one key more"),
        pytest.param(
            ("outer", "$defs"), {"a": {"$id": "a", "$schema": "draft-04"}}, id="a document of another dialect"
        ),
    ],
)
def test_a_malformed_certificate_is_refused(change: tuple[Any, ...], to: Any) -> None:
    with pytest.raises(CertificateRefused):
        check(_changed(*change, to=to))


def test_the_empty_reference_shows_nothing() -> None:
    """jsonschema-rs lets it refuse nothing; Python's validator goes to the root."""
    inner = {"type": "object", "properties": {"a": {"$ref": ""}}}
    outer = {"type": "object", "properties": {"a": {"type": "object"}}}
    assert compare(inner, outer, reader="strict").backward.kind != "compatible"
    certificate = certify({**inner, "properties": {"a": {"$ref": "#"}}}, outer, reader="strict")[1]["backward"]
    check(certificate)
    with pytest.raises(CertificateRefused):
        check({**certificate, "inner": inner})


@pytest.mark.parametrize(
    "inner, outer, replays",
    [
        pytest.param({"type": "string"}, {"type": ["string", "null"]}, 1, id="there are no patterns"),
        pytest.param({"pattern": "^a$", "minLength": 1}, {"pattern": "^a$"}, 1, id="the patterns are the same"),
        pytest.param({"pattern": "^a$"}, {"pattern": "^[ab]$"}, 2, id="a table of patterns"),
        pytest.param({"enum": ["a"]}, {"pattern": "^a$"}, 2, id="a value that a pattern matches"),
        pytest.param(
            {"patternProperties": {"^a$": {"enum": [1]}}, "properties": {"a": {}}},
            {"properties": {"a": {"enum": [1]}}},
            2,
            id="a name that a pattern matches",
        ),
    ],
)
def test_a_proof_is_replayed_as_python_reads_patterns_where_that_may_matter(
    inner: Any, outer: Any, replays: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    certificate = certify(inner, outer, reader="strict")[1]["backward"]
    replay, count = checker._replay, []
    monkeypatch.setattr(checker, "_replay", lambda *given: count.append(replay(*given)))
    check(certificate)
    assert len(count) == replays


def test_steps_that_share_premises_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """A certificate of 60 steps that unfolds into 2^60 goals."""
    monkeypatch.setattr(checker, "MOST_GOALS", 500)
    certificate = {**made({"type": "string"}, True)["backward"]}
    certificate["inner"] = {
        "type": "string",
        "allOf": [{"anyOf": [{"minLength": 1}, {"minLength": 2}]} for _ in range(60)],
    }
    certificate["outer"] = {"minLength": 1}
    steps: list[Any] = [["apart", [], []], ["types", [], [0]]]
    for at in range(60):
        steps.append(["cases", [1 + 3 * at, "anyOf"], [len(steps) - 1] * 2])
    certificate |= {"steps": steps, "readings": {"ecma": len(steps) - 1}}
    with pytest.raises(checker.CertificateTooLarge):
        check(json.loads(json.dumps(certificate)))


def test_a_number_that_a_double_would_round_is_not_read(tmp_path: Path) -> None:
    """The certificate would be of another schema than the file says."""
    path = tmp_path / "certificate.json"
    text = files.text(made({"maximum": 0.1}, {"maximum": 0.5}))
    assert "0.1" in text
    path.write_text(text)
    files.read(path)
    path.write_text(text.replace("0.1", "0.10000000000000001"))
    with pytest.raises(InputError, match="is not a file of certificates"):
        files.read(path)
