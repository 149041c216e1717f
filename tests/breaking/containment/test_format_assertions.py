from __future__ import annotations

from typing import Any

import pytest

from babelreg.breaking import compare
from babelreg.breaking.containment.format_assertions import formats_preserved
from babelreg.schema.dialects import DEFAULT, DIALECTS

DATE: dict[str, Any] = {"type": "string", "format": "date"}
A = {"properties": {"a": DATE}}
LIST: dict[str, Any] = {"allOf": [{"properties": {"a": {"$ref": "#/$defs/next"}}}]}
LIST["$defs"] = {"next": {"properties": {"a": {"$ref": "#/$defs/next"}, "b": DATE}}}


@pytest.mark.parametrize(
    "inner, outer, holds",
    [
        pytest.param(A, A, True, id="the same"),
        pytest.param(A, {"properties": {"a": {}}}, True, id="dropped on the reading side"),
        pytest.param({}, A, False, id="only on the reading side"),
        pytest.param({"allOf": [A]}, A, True, id="the same through allOf"),
        pytest.param({"$ref": "#/$defs/a", "$defs": {"a": A}}, A, True, id="the same through a reference"),
        pytest.param({"properties": {"a": {"format": "time"}}}, A, False, id="another format"),
        pytest.param({"anyOf": [A]}, {"anyOf": [A]}, False, id="under a union"),
        pytest.param({"properties": {"a": {"not": DATE}}}, {}, False, id="under a negation"),
        pytest.param({"contains": DATE}, {"contains": DATE}, False, id="under contains"),
        pytest.param(LIST, LIST, False, id="under a recursion"),
        pytest.param({"items": DATE}, {"items": DATE}, True, id="items"),
        pytest.param({"prefixItems": [{}], "items": DATE}, {"items": DATE}, False, id="items of other places"),
        pytest.param(
            {"properties": {"x": {}}, "additionalProperties": DATE},
            {"additionalProperties": DATE},
            False,
            id="other properties of others",
        ),
        pytest.param({"properties": {"b": {}}, "additionalProperties": False}, A, True, id="a property never sent"),
        pytest.param(
            {"patternProperties": {"a": {}}, "additionalProperties": False}, A, False, id="sent after all, by a pattern"
        ),
        pytest.param({"const": {"format": "date"}}, {"const": {"format": "date"}}, True, id="no format but a value"),
    ],
)
def test_same_or_dropped(inner: Any, outer: Any, holds: bool) -> None:
    assert formats_preserved(inner, outer, DEFAULT) is holds


def test_beside_a_reference_old_drafts_assert_nothing() -> None:
    inner = {"properties": {"a": {"$ref": "#/definitions/any", "format": "date"}}, "definitions": {"any": {}}}
    assert formats_preserved(inner, A, DEFAULT)
    assert not formats_preserved(inner, A, DIALECTS["draft7"])


def next_(i: int) -> dict[str, str]:
    return {"$ref": f"#/$defs/n{i + 1}"}


def test_a_bush_of_references_is_given_up() -> None:
    bush: dict[str, Any] = {f"n{i}": {"properties": {"a": next_(i), "b": next_(i)}} for i in range(40)}
    schema = {"$ref": "#/$defs/n0", "$defs": {**bush, "n40": DATE}}
    assert not formats_preserved(schema, schema, DEFAULT)


@pytest.mark.parametrize("reader", ["tolerant", "strict"])
def test_a_format_of_ones_own_may_come_and_go(reader: Any) -> None:
    old, new = ({"properties": {"a": {"type": "string", **more}}} for more in ({"format": "path"}, {"maxLength": 3}))
    verdicts = compare(old, new, reader=reader, formats="asserted")
    assert (verdicts.backward.kind, verdicts.forward.kind) == ("breaking", "compatible")


EMAIL = {"type": "string", "format": "email"}


@pytest.mark.parametrize(
    "new, kind",
    [
        pytest.param({"type": "string", "maxLength": 320}, "compatible", id="as long as an address may be"),
        pytest.param({"type": "string", "maxLength": 5}, "breaking", id="shorter than many are"),
    ],
)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_an_email_address_has_a_length(new: Any, kind: str, dialect: str) -> None:
    old, new = ({"type": "object", "properties": {"email": schema}} for schema in (EMAIL, new))
    assert compare(old, new, formats="asserted", dialect=dialect).backward.kind == kind


@pytest.mark.parametrize(
    "address",
    [
        pytest.param("a@" + ".".join(["b" * 63] * 5), id="a long domain"),
        pytest.param("a" * 65 + "@" + "b" * 256, id="a long name and a long domain"),
        pytest.param('"' + "a" * 316 + '"@b.c', id="a quoted name"),
        pytest.param("a." * 160 + "a@b.c", id="a name of many parts"),
        pytest.param("a@[" + "1" * 317 + "]", id="an address literal"),
        pytest.param("a@[IPv6:" + "0:" * 160 + "1]", id="one of version 6"),
    ],
)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_no_email_address_is_longer(address: str, dialect: str) -> None:
    assert len(address) > 320
    assert not DIALECTS[dialect].validator_for(EMAIL).is_valid(address)
