"""What the checker says of single values: what validators say, wherever it is certain."""

from __future__ import annotations

import random
from typing import Any

import pytest
from random_claims import DOCUMENTS, random_schema, with_definition

from babelreg.containment.certificates.core_schemas import DRAFTS, View
from babelreg.containment.certificates.facts import Fact, Side
from babelreg.containment.certificates.single_values import permits, permits_surely
from babelreg.errors import SchemaError
from babelreg.schema.dialects import DIALECTS


def said(schema: Any, value: Any, draft: str = "draft2020-12", reading: str = "ecma") -> bool | None:
    view = View(schema, DRAFTS.index(draft), formats=False)
    return permits(Fact(view.root, Side(view, reading), holds=True), value)


@pytest.mark.parametrize("draft", DRAFTS)
def test_a_validator_says_the_same(draft: str) -> None:
    chance = random.Random(5)
    certain = 0
    for _ in range(300):
        schema = with_definition(random_schema(chance, unions=0.3), chance)
        try:
            validator = DIALECTS[draft].validator_for(schema, formats=False)
        except SchemaError:
            continue
        answers = {at: said(schema, value, draft) for at, value in enumerate(DOCUMENTS)}
        known = {at: answer for at, answer in answers.items() if answer is not None}
        assert known == {at: validator.is_valid(DOCUMENTS[at]) for at in known}, schema
        certain += len(known)
    assert certain > 200 * len(DOCUMENTS)


@pytest.mark.parametrize(
    "schema, value, expected",
    [
        pytest.param({"multipleOf": 0.1}, 0.3, True, id="a number as it is written"),
        pytest.param({"maximum": 0.3}, 0.1 + 0.2, False, id="a number that is a little more"),
        pytest.param({"enum": [1.0]}, 1, True, id="equal numbers"),
        pytest.param({"enum": [1]}, True, False, id="true is not 1"),
        pytest.param({"enum": [2**53]}, 2**53, None, id="a number that a double may round"),
        pytest.param({"uniqueItems": True}, [1, True, 1.0], False, id="an item twice"),
        pytest.param({"contains": {"const": 1}, "maxContains": 1}, [1, 1], False, id="too many items that are sought"),
        pytest.param({"contains": {"format": "x", "const": 1}, "minContains": 0}, [], True, id="no item need be there"),
        pytest.param({"maxLength": 1}, "\U0001f600", True, id="characters are code points"),
        pytest.param({"unevaluatedProperties": False}, {"a": 1}, False, id="nothing is evaluated"),
        pytest.param(
            {"anyOf": [{"properties": {"a": True}}, True], "unevaluatedProperties": False},
            {"a": 1},
            None,
            id="a keyword that is not read",
        ),
        pytest.param({"type": "string", "unevaluatedProperties": False}, {"a": 1}, False, id="which others settle"),
        pytest.param({"unevaluatedProperties": False}, 1, True, id="of another type"),
        pytest.param({"anyOf": [{"unevaluatedItems": False}, {"minItems": 1}]}, [1], True, id="a branch is certain"),
        pytest.param(
            {"oneOf": [{"contains": True, "unevaluatedItems": False}, {"minItems": 1}]},
            [1],
            None,
            id="the others are not",
        ),
        pytest.param({"pattern": "^(?=a)"}, "a", None, id="a pattern that is not read"),
        pytest.param(
            {"patternProperties": {"^(?=a)": False}}, {"a": 1}, None, id="a pattern of names that is not read"
        ),
        pytest.param({"dependencies": {"a": ["b"]}}, {"a": 1}, None, id="a keyword that some ignore"),
        pytest.param({"$ref": "#/$defs/a", "$defs": {"a": {"type": "null"}}}, 1, False, id="a reference"),
        pytest.param({"$ref": "other"}, 1, None, id="a reference that leads nowhere"),
    ],
)
def test_a_keyword(schema: Any, value: Any, expected: bool | None) -> None:
    assert said(schema, value) is expected


def test_in_draft_4_an_integer_may_be_written_as_another_number() -> None:
    assert said({"type": "integer"}, 1, "draft4") is None
    assert said({"type": "integer"}, 1.5, "draft4") is False
    assert said({"type": "integer"}, 1.0, "draft6") is True


@pytest.mark.parametrize("reading, expected", [("ecma", False), ("python", True), ("python-sender", False)])
def test_a_pattern_is_read_as_its_engine_reads_it(reading: str, expected: bool) -> None:
    assert said({"pattern": "^a$"}, "a\n", reading=reading) is expected


@pytest.mark.parametrize(
    "repeated",
    [
        pytest.param({"q": {"$id": "b", "$anchor": "f"}}, id="the library panics"),
        pytest.param({"q": {"$ref": "http://127.0.0.1:9/x"}}, id="a reference leads nowhere"),
    ],
)
def test_what_no_validator_can_be_compiled_from_is_not_certain(repeated: dict[str, Any]) -> None:
    schema = {
        "$defs": {"k": {"$id": "b", "$anchor": "f"}},
        "properties": {"q": {"$id": "b", "$ref": "#f"}},
        "dependentSchemas": repeated,
    }
    view = View(schema, DRAFTS.index("draft2020-12"), formats=False)
    assert permits_surely(Fact(view.root, Side(view, "ecma"), holds=True), {"q": 1}) is None
