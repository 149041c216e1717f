"""A witness counts only when both validators agree."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import pytest

from babelreg.containment.compiled_schemas import CompiledSchemas
from babelreg.containment.decision import Containment
from babelreg.containment.second_validator import SchemaCase, second_validator
from babelreg.schema.dialects import DEFAULT


def containment(old: Any, new: Any) -> Containment:
    schemas = {"old": old, "new": new}
    case = SchemaCase(schemas, DEFAULT, formats=False, validator=second_validator())
    return Containment(CompiledSchemas(case, schemas, schemas), "old", "new", "new")


@pytest.mark.parametrize("new", [{"minimum": 1}, {"minimum": -5}], ids=["breaking", "compatible"])
def test_a_comparison_is_let_go_once_nobody_asks_any_more(new: Any) -> None:
    """The collector does not run while a registry is compared: what held itself would stay until the end."""
    gc.disable()
    try:
        asked = containment({"type": "integer", "minimum": 0}, new)
        if asked.verdict().kind == "breaking":
            asked.every_witness()
        left = weakref.ref(asked)
        del asked
        assert left() is None
    finally:
        gc.enable()


def test_what_the_second_validator_denies_is_no_witness(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SchemaCase, "refuted", lambda self, inner, outer, documents: [False] * len(documents))
    asked = containment({"type": "integer"}, {"type": "integer", "minimum": 1})
    verdict = asked.verdict()
    assert verdict.kind == "unknown"
    assert "the two validators disagree" in (verdict.reason or "")


def test_a_witness_that_shrank_too_far_is_shrunk_again_with_both(monkeypatch: pytest.MonkeyPatch) -> None:
    judge = SchemaCase.refuted

    def stubborn(self: SchemaCase, inner: str, outer: str, documents: list[Any]) -> list[bool]:
        judged = judge(self, inner, outer, documents)
        return [said and document != -1 and document != 0 for said, document in zip(judged, documents, strict=True)]

    monkeypatch.setattr(SchemaCase, "refuted", stubborn)
    verdict = containment({"enum": [0, -5]}, {"minimum": 1}).verdict()
    assert (verdict.kind, verdict.witness) == ("breaking", -5)


def test_engines_that_read_a_pattern_differently_give_no_verdict() -> None:
    # \d is any decimal digit to Python's re, and only 0-9 to a validator that follows ECMA-262.
    verdict = containment({"enum": ["\u0661"]}, {"pattern": "^\\d$"}).verdict()
    assert verdict.kind == "unknown"


def test_every_keyword_that_refuses_has_a_witness_of_its_own() -> None:
    asked = containment(
        {"properties": {"a": {"type": "integer"}, "b": {"type": "string"}}},
        {"properties": {"a": {"minimum": 0, "multipleOf": 2}, "b": {"maxLength": 3}}, "required": ["a"]},
    )
    assert asked.verdict().kind == "breaking"
    found = {(*w.refusal.pointer, w.refusal.missing or ""): w.document for w in asked.every_witness()}
    assert {key[-2] for key in found} >= {"minimum", "multipleOf", "required"}
    assert found[("required", "a")] == {}


def test_each_value_of_another_type_has_a_witness_also_where_many_have() -> None:
    def feed(moment: str, text: str) -> dict[str, Any]:
        times = {"type": "array", "items": {"properties": {"start": {"type": moment}, "end": {"type": moment}}}}
        texts = {name: {"type": text} for name in ("url", "summary", "description", "cause", "effect")}
        ids = {name: {"type": "array", "items": {"type": "string"}} for name in ("stations", "regions", "systems")}
        alert = {"type": "object", "properties": {"id": {"type": "string"}, "times": times, **ids, **texts}}
        alerts = {"alerts": {"type": "array", "items": {**alert, "required": ["id"]}}}
        data = {"type": "object", "properties": alerts, "required": ["alerts"]}
        return {"type": "object", "properties": {"ttl": {"type": moment}, "data": data}, "required": ["ttl", "data"]}

    asked = containment(feed("integer", "string"), feed("string", "array"))
    assert asked.verdict().kind == "breaking"
    names = {witness.refusal.instance[-1] for witness in asked.every_witness()}
    assert names == {"ttl", "start", "end", "url", "summary", "description", "cause", "effect"}


def test_a_keyword_that_a_wrong_type_hides_is_shown_by_another_document() -> None:
    new = {"properties": {"a_b": {"type": "string"}}, "patternProperties": {"^a": {"oneOf": [{"type": "array"}]}}}
    asked = containment({"type": "object"}, new)
    assert asked.verdict().kind == "breaking"
    shown = {witness.refusal.pointer: witness.document for witness in asked.every_witness()}
    assert shown.keys() == {("properties", "a_b", "type"), ("patternProperties", "^a", "oneOf")}
    assert "a_b" not in shown["patternProperties", "^a", "oneOf"]
