"""Every published version counts, wherever it stood: dropped and re-added, moved, brought in from a fragment."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from babelreg import load
from babelreg.breaking.baseline import against as baseline
from babelreg.breaking.baseline.changed_subset import changed_subset
from babelreg.breaking.baseline.registry_cache import RegistryCache
from babelreg.breaking.check.run import check
from babelreg.errors import UsageError
from babelreg.finding import Finding, Severity
from babelreg.load.files.tree import Folder

STRING = "{type: object, properties: {a: {type: integer}, b: {type: string}}}"
NONE = "{type: object, properties: {a: {type: integer}}}"
INTEGER = "{type: object, properties: {a: {type: integer}, b: {type: integer}}}"
URN = "urn:babel:orders:created"


def found(root: Path, against: str | None = "HEAD") -> list[Finding]:
    """What breaks, read narrowly; the same as when both registries are read whole."""
    published = baseline.of(root, against)
    parts = changed_subset(published.tree, published.hashed(Folder(root)), str(root), RegistryCache())
    assert not parts.new.defects
    findings = check(parts.old, parts.new, past=published.past)
    whole = check(published.registry, load.registry(root), past=published.past)
    assert [f.as_json() for f in whole] == [f.as_json() for f in findings]
    assert len(parts.messages) == len(load.registry(root).messages)
    return findings


def rules(findings: list[Finding]) -> list[str]:
    return [finding.rule for finding in findings]


def test_a_property_dropped_and_re_added_with_another_type_breaks_the_first_version(repository: Any) -> None:
    first = repository.commit(STRING)
    repository.commit(NONE)
    repository.write("orders/created.yaml", _message(INTEGER))
    (broken,) = found(repository.root)
    assert (broken.rule, broken.direction) == ("type-changed", "both")
    assert broken.message.endswith(f", as {first[:8]} published it")
    assert str(broken.against) == "orders/created.yaml:5:65"


def test_the_newest_version_alone_would_not_show_it(repository: Any) -> None:
    repository.commit(STRING)
    repository.commit(NONE)
    published = baseline.of(repository.root, "HEAD")
    repository.write("orders/created.yaml", _message(INTEGER))
    assert check(published.registry, load.registry(repository.root)) == []


def test_what_breaks_the_newest_is_not_said_again_of_the_older_ones(repository: Any) -> None:
    repository.commit(STRING)
    repository.commit(STRING.replace("a: {type: integer}", "a: {type: integer, minimum: 1}"))
    repository.write("orders/created.yaml", _message(INTEGER))
    types = [f for f in found(repository.root) if f.rule == "type-changed"]
    assert len(types) == 1
    assert "published it" not in types[0].message


def of(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


NUMBER, TEXT, NOTE = {"type": "integer"}, {"type": "string"}, {"note": {"type": "string"}}
PAID = {**of(a=NUMBER, b=TEXT, c=NUMBER), "required": ["c"]}


def either(**more: Any) -> dict[str, Any]:
    """``a`` is a text or a truth value, no number any more."""
    return {"type": "object", "anyOf": [{"properties": {"a": one, **more}} for one in (TEXT, {"type": "boolean"})]}


@pytest.mark.parametrize(
    "versions, expected",
    [
        pytest.param([of(a=NUMBER), of(a=TEXT), of(a=TEXT, **NOTE)], [], id="a type that was published"),
        pytest.param(
            [of(a=NUMBER), of(a=TEXT), of(a={"type": "boolean"}, **NOTE)],
            ["type-changed"],
            id="the same property again: said of the newest version alone",
        ),
        pytest.param(
            [of(a=NUMBER, b=TEXT), PAID, {**PAID, **of(a=NUMBER, b=TEXT, c=NUMBER, **NOTE)}], [], id="required"
        ),
        pytest.param(
            [of(b=TEXT), of(a=NUMBER), of(a=NUMBER, b=NUMBER)], ["type-changed"], id="dropped and back, otherwise"
        ),
        pytest.param(
            [
                of(a=NUMBER, b=TEXT, c=NUMBER),
                {**PAID, **of(a=NUMBER, c=NUMBER)},
                {**PAID, **of(a=NUMBER, b=NUMBER, c=NUMBER)},
            ],
            ["type-changed"],
            id="dropped with an accepted break, and back otherwise",
        ),
        pytest.param(
            [
                {**of(v={"const": "1"}, a={**NUMBER, "maximum": 9}), "required": ["v"]},
                {**of(v={"const": "2"}, a=NUMBER), "required": ["v"]},
                {**of(v={"const": "3"}, a=NUMBER), "required": ["v"]},
            ],
            ["value-changed"],
            id="a bound that was published, beside a value that changes each time",
        ),
        pytest.param(
            [
                {**of(a=TEXT, p=TEXT), "required": ["a", "p"]},
                {**of(a=TEXT, p=TEXT), "required": ["p"]},
                {**of(a=TEXT, q=TEXT), "required": ["q"]},
            ],
            ["property-renamed"],
            id="a property that may be absent since, beside another name of a required one",
        ),
        pytest.param(
            [
                of(c={**of(v=TEXT, k={"enum": ["a"]}), "required": ["v", "k"]}),
                of(c={**of(v=TEXT, k={"enum": ["b"]}), "required": ["v", "k"]}),
                of(c={**of(w=TEXT, k={"enum": ["b"]}), "required": ["w", "k"]}),
            ],
            ["property-renamed"],
            id="a value that was published, beside another name of a required property",
        ),
        pytest.param(
            [
                {"oneOf": [of(k={"enum": ["a"]}), {"type": "string"}]},
                of(k={"enum": ["a"]}),
                of(k={"enum": ["a", "b"]}),
            ],
            ["enum-value-added"],
            id="a new value, which a union of an older version refuses as well",
        ),
        pytest.param([of(a=NUMBER, b=TEXT), either(), either(**NOTE)], [], id="a union that was edited"),
        pytest.param(
            [of(a=NUMBER, b=TEXT), of(x=either()), of(x=either(), **NOTE)],
            [],
            id="properties that were removed stay so",
        ),
        pytest.param(
            [of(x=of(a=NUMBER, b=TEXT)), of(x=either()), of(x=either(), **NOTE)], [], id="a union that stays as it is"
        ),
        pytest.param(
            [of(a=NUMBER, b=TEXT), either(), either(b=NUMBER)],
            ["union-changed"],
            id="dropped and back within a union",
        ),
    ],
)
def test_a_break_that_was_published_is_history(repository: Any, versions: list[Any], expected: list[str]) -> None:
    for schema in versions[:-1]:
        repository.commit(json.dumps(schema))
    repository.write("orders/created.yaml", _message(json.dumps(versions[-1])))
    broken = [finding for finding in found(repository.root) if finding.severity is Severity.ERROR]
    assert rules(broken) == expected


@pytest.mark.parametrize(
    "since, expected",
    [
        pytest.param("first", ["type-changed"], id="since the version that breaks: it still counts"),
        pytest.param("second", [], id="since the one after"),
        pytest.param("HEAD", [], id="since now"),
        pytest.param("v1", ["type-changed"], id="since a tag"),
    ],
)
@pytest.mark.parametrize("where", ["babelreg.yaml", "orders/_context.yaml"])
def test_history_counts_since(repository: Any, since: str, expected: list[str], where: str) -> None:
    commits = {"first": repository.commit(STRING)}
    repository.git("tag", "v1")
    commits["second"] = repository.commit(NONE)
    text = (repository.root / where).read_text()
    repository.write(where, f"{text}compatibility: {{since: {commits.get(since, since)}}}\n")
    repository.write("orders/created.yaml", _message(INTEGER))
    assert rules(found(repository.root)) == expected


@pytest.mark.parametrize("since", ["nope", "--output=stolen", "HEAD\\0x", "x" * 5000])
def test_a_since_that_is_no_revision_is_refused(repository: Any, since: str) -> None:
    repository.commit(STRING)
    repository.write("babelreg.yaml", f'version: 1\ncompatibility: {{since: "{since}"}}\n')
    repository.write("orders/created.yaml", _message(INTEGER))
    with pytest.raises(UsageError, match=r"compatibility\.since") as raised:
        found(repository.root)
    assert raised.value.fix
    assert not list(repository.folder.rglob("stolen*"))


def test_a_draft_was_never_published(repository: Any) -> None:
    repository.write("orders/created.yaml", "status: draft\n" + _message(STRING))
    repository.git("add", "-A")
    repository.git("commit", "-q", "-m", "draft")
    repository.commit(NONE)
    repository.write("orders/created.yaml", _message(INTEGER))
    assert found(repository.root) == []


def test_what_was_active_before_it_became_a_draft_counts(repository: Any) -> None:
    repository.commit(STRING)
    repository.write("orders/created.yaml", "status: draft\n" + _message(NONE))
    repository.git("commit", "-aqm", "draft")
    repository.write("orders/created.yaml", _message(INTEGER))
    assert "type-changed" in rules(found(repository.root))


def test_a_message_that_was_deleted_and_comes_back_is_held_against_what_it_was(repository: Any) -> None:
    repository.commit(STRING)
    repository.git("rm", "-q", "registry/orders/created.yaml")
    repository.git("commit", "-q", "-m", "gone")
    repository.write("orders/created.yaml", _message(INTEGER))
    assert "type-changed" in rules(found(repository.root))


def test_a_description_alone_is_not_held_against_the_past(repository: Any) -> None:
    repository.commit(STRING)
    repository.commit(INTEGER)
    described = INTEGER.replace("{type: integer}}}", "{type: integer, description: The number.}}}")
    repository.write("orders/created.yaml", _message(described))
    assert [f for f in found(repository.root) if f.rule == "type-changed"] == []


def test_a_version_of_a_side_branch_was_not_published_by_itself(repository: Any) -> None:
    repository.commit(NONE)
    repository.git("checkout", "-q", "-b", "side")
    repository.commit(STRING)
    repository.commit(NONE)
    repository.git("checkout", "-q", "main")
    repository.git("merge", "-q", "--no-ff", "--no-edit", "side")
    repository.write("orders/created.yaml", _message(INTEGER))
    assert found(repository.root) == []


def test_a_version_that_a_merge_brought_in_was_published(repository: Any) -> None:
    repository.commit(NONE)
    repository.git("checkout", "-q", "-b", "side")
    repository.commit(STRING)
    repository.git("checkout", "-q", "main")
    repository.git("merge", "-q", "--no-ff", "--no-edit", "side")
    merge = repository.git("rev-parse", "HEAD")
    repository.commit(NONE)
    repository.write("orders/created.yaml", _message(INTEGER))
    (broken,) = found(repository.root)
    assert f"as {merge[:8]} published it" in broken.message


def test_a_version_before_the_file_was_renamed(repository: Any) -> None:
    repository.commit(STRING, "orders/old-name.yaml")
    repository.git("mv", "registry/orders/old-name.yaml", "registry/orders/created.yaml")
    repository.commit(NONE)
    repository.write("orders/created.yaml", _message(INTEGER))
    assert rules(found(repository.root)) == ["type-changed"]


def test_a_version_before_the_registry_was_moved_twice(repository: Any) -> None:
    first = repository.commit(STRING)
    repository.git("mv", "registry", "messages")
    repository.git("commit", "-q", "-m", "move")
    repository.git("mv", "messages", "registry")
    repository.write("orders/created.yaml", _message(NONE))
    repository.git("add", "-A")
    repository.git("commit", "-q", "-m", "back, and changed")
    repository.write("orders/created.yaml", _message(INTEGER))
    (broken,) = found(repository.root)
    assert first[:8] in broken.message


def test_a_version_before_the_registry_was_moved_to_the_top(repository: Any) -> None:
    repository.commit(STRING)
    for name in ("babelreg.yaml", "orders"):
        repository.git("mv", f"registry/{name}", name)
    repository.git("commit", "-q", "-m", "move")
    (repository.folder / "orders/created.yaml").write_text(_message(NONE))
    repository.git("commit", "-aqm", "drop b")
    (repository.folder / "orders/created.yaml").write_text(_message(INTEGER))
    assert rules(found(repository.folder)) == ["type-changed"]


def test_the_versions_of_a_fragment_are_versions_of_the_message(repository: Any) -> None:
    data = "{type: object, properties: {total: {$ref: ../_common/money.yaml}}}"
    commits = []
    for properties in ({"a": {}, "b": {"type": "string"}}, {"a": {}}, {"a": {}, "b": {"type": "integer"}}):
        repository.write("_common/money.yaml", json.dumps({"type": "object", "properties": properties}))
        commits += [repository.commit(data)] if len(commits) < 2 else []
    (broken,) = (finding for finding in found(repository.root) if finding.rule == "type-changed")
    assert broken.place.path == "_common/money.yaml"
    assert f"as {commits[0][:8]} published it" in broken.message


def test_a_version_that_cannot_be_read_is_passed_over_and_told(repository: Any) -> None:
    repository.commit(STRING)
    repository.write("orders/created.yaml", "urn: [\n")
    repository.git("commit", "-aqm", "a slip")
    repository.commit(NONE)
    repository.write("orders/created.yaml", _message(INTEGER))
    published = baseline.of(repository.root, "HEAD")
    assert rules(check(published.registry, load.registry(repository.root), past=published.past)) == ["type-changed"]
    assert published.past is not None
    assert any("1 older version cannot be read: orders/created.yaml of " in said for said in published.past.summary)


def test_the_order_of_the_commits_decides_not_their_dates(repository: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2030-01-01T00:00:00Z")
    repository.commit(STRING)
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2020-01-01T00:00:00Z")
    repository.commit(NONE)
    repository.write("orders/created.yaml", _message(NONE.replace("integer", "string")))
    broken = found(repository.root)
    assert broken
    assert not any("published it" in finding.message for finding in broken)


def test_a_shallow_clone_with_the_history_that_is_asked_for_works(repository: Any, tmp_path: Path) -> None:
    repository.commit(STRING)
    middle = repository.commit(STRING.replace("b:", "c:"))
    repository.commit(NONE)
    clone = tmp_path / "clone"
    repository.git("clone", "-q", "--depth=2", f"file://{repository.folder}", str(clone))
    changed = clone / "registry/orders/created.yaml"
    assert found(clone / "registry") == []
    changed.write_text(_message(INTEGER))
    with pytest.raises(UsageError, match="shallow clone") as raised:
        found(clone / "registry")
    assert "git fetch --unshallow" in (raised.value.fix or "")
    assert f"since: {middle[:8]}" in (raised.value.fix or "")
    (clone / "registry/babelreg.yaml").write_text(f"version: 1\ncompatibility: {{since: {middle}}}\n")
    assert found(clone / "registry") == []
    repository.git("-C", str(clone), "fetch", "-q", "--unshallow")
    (clone / "registry/babelreg.yaml").write_text("version: 1\n")
    assert rules(found(clone / "registry")) == ["type-changed"]


def _message(data: str) -> str:
    return f"urn: {URN}\nkind: event\nproducers: [orders-api]\nconsumers: [billing-worker]\ndata: {data}\n"


UNDECIDED = [of(a={"pattern": f"^(?!tmp){tail}$"}) for tail in ("[a-z]+", "[a-z][a-z]*")]


@pytest.mark.parametrize(
    "present, expected",
    [
        pytest.param(of(**UNDECIDED[1]["properties"], **NOTE), [], id="another property"),
        pytest.param(
            of(a={"pattern": "^(?!tmp)[a-z]+[a-z]*$"}),
            ["containment-unknown"],
            id="the same part: said of the newest version alone",
        ),
    ],
)
def test_what_was_published_without_a_verdict_is_history(
    repository: Any, present: dict[str, Any], expected: list[str]
) -> None:
    for schema in UNDECIDED:
        repository.commit(json.dumps(schema))
    repository.write("orders/created.yaml", _message(json.dumps(present)))
    assert rules(found(repository.root)) == expected
