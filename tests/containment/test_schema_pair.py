"""``compare``: verdicts on changes whose truth is known, its laws, and what it refuses."""

from __future__ import annotations

import json
from typing import Any

import jsonschema_rs
import pytest
from corpora import CORPORA, corpora_needed
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from babelreg.containment import certify, compare
from babelreg.errors import UsageError
from babelreg.finding import NOTHING

S, I = {"type": "string"}, {"type": "integer"}  # noqa: E741 - as short as the tables need


def of(required: list[str] | None = None, closed: bool = False, **properties: Any) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    return {
        **schema,
        **({"required": required} if required else {}),
        **({"additionalProperties": False} if closed else {}),
    }


OK, BREAK = "compatible", "breaking"
LONG = {"type": "string", "minLength": 3}
SEVEN_URI = "http://json-schema.org/draft-07/schema#"


@pytest.mark.parametrize(
    "old, new, strict, tolerant",
    [
        pytest.param(of(a=S), of(a=S, b=S), (BREAK, OK), (OK, OK), id="an optional property is new"),
        pytest.param(of(a=S, b=S), of(a=S), (OK, BREAK), (OK, OK), id="an optional property is gone"),
        pytest.param(of(a=S), of(["b"], a=S, b=S), (BREAK, OK), (BREAK, OK), id="a required property is new"),
        pytest.param(of(["b"], b=S), of(b=S), (OK, BREAK), (OK, BREAK), id="a property became optional"),
        pytest.param(of(a=S), of(closed=True, a=S), (BREAK, OK), (OK, OK), id="an object was closed"),
        pytest.param(of(a=I), of(a=S), (BREAK, BREAK), (BREAK, BREAK), id="another type"),
        pytest.param(of(a=I), of(a={"type": "number"}), (OK, BREAK), (OK, BREAK), id="integers become numbers"),
        pytest.param({"enum": ["a"]}, {"enum": ["a", "b"]}, (OK, BREAK), (OK, BREAK), id="a value is new"),
        pytest.param({"anyOf": [S, I]}, {"anyOf": [S]}, (BREAK, OK), (BREAK, OK), id="a variant is gone"),
        pytest.param({"minimum": 1}, {"minimum": 1, "title": "X"}, (OK, OK), (OK, OK), id="an annotation"),
        pytest.param(
            of(a={"$ref": "#/$defs/a"}) | {"$defs": {"a": S}}, of(a=S), (OK, OK), (OK, OK), id="a definition inlined"
        ),
        pytest.param(True, {"type": "string"}, (BREAK, OK), (BREAK, OK), id="a boolean schema"),
        pytest.param({"const": None}, {"const": 1}, (BREAK, BREAK), (BREAK, BREAK), id="the witness is null"),
        pytest.param(
            of(a={"enum": ["é"]}),
            of(a=S | {"pattern": r"^\p{L}$"}),
            (OK, "unknown"),
            (OK, "unknown"),
            id="a listed value, and a pattern that only a validator reads",
        ),
        pytest.param(
            of(a={"const": {"é": 1}}),
            of(a={"patternProperties": {r"^\p{L}$": I}, "additionalProperties": False}),
            (OK, BREAK),
            (OK, BREAK),
            id="a listed object, and a pattern of names that only a validator reads",
        ),
        pytest.param(
            of(a={"const": {"b": 2, "n": "xx"}}),
            of(
                a={
                    "anyOf": [of(["a"], a=True), of(["b"], b=True)],
                    "properties": {"n": {"pattern": "^x+$"}},
                    "unevaluatedProperties": False,
                }
            ),
            (OK, BREAK),
            (OK, BREAK),
            id="a listed object, and unevaluated properties beside a pattern",
        ),
        *(
            pytest.param(
                of(a=reference) | {"x-d": {"s": S, **S}, "default": S},
                of(a=reference) | {"x-d": {"s": LONG, **LONG}, "default": LONG},
                (BREAK, OK),
                (BREAK, OK),
                id=f"what {reference} applies is longer",
            )
            for reference in (
                {"$ref": "#/x-d/s"},
                {"$ref": "#/%78-d/s"},
                {"$ref": "#/%64efault"},
                {"$ref": "#/x%2dd%2Fs"},
                {"$dynamicRef": "#/default"},
                {"$dynamicRef": "#/x-d"},
            )
        ),
    ],
)
def test_verdicts(old: Any, new: Any, strict: tuple[str, str], tolerant: tuple[str, str]) -> None:
    for reader, expected in (("strict", strict), ("tolerant", tolerant)):
        found = compare(old, new, reader=reader)
        assert (found.backward.kind, found.forward.kind) == expected
        for verdict in (found.backward, found.forward):
            assert (verdict.witness is not NOTHING) == (verdict.kind == BREAK)


@pytest.mark.parametrize(
    "old, new, kinds",
    [
        pytest.param(S, {**S, "format": "date"}, (BREAK, OK), id="a format is new"),
        pytest.param(
            of(a={**S, "format": "date"}),
            of(a={**S, "format": "date"}, b=S),
            (OK, OK),
            id="the formats are the same",
        ),
        pytest.param(of(a=S), of(a=S, b={**S, "format": "date"}), (OK, OK), id="a property with a format is new"),
        pytest.param(of(a=S, b={**S, "format": "date"}), of(a=S), (OK, OK), id="a property with a format is gone"),
        pytest.param({**S, "format": "ipv4"}, {**S, "format": "ipv6"}, (BREAK, BREAK), id="another format"),
        pytest.param(
            {"anyOf": [{**S, "format": "date"}, {"type": "null"}], "title": "a"},
            {"anyOf": [{**S, "format": "date"}, {"type": "null"}], "title": "b"},
            (OK, OK),
            id="under a union, but both are equal",
        ),
        pytest.param(
            {"anyOf": [{**S, "format": "date"}, {"type": "null"}]},
            {"anyOf": [{**S, "format": "date"}, {"type": "null"}, {**S, "format": "date", "minLength": 3}]},
            (OK, OK),
            id="under a union our own proof reads them",
        ),
        pytest.param(
            {"anyOf": [{**S, "format": "date"}, {"type": "null"}]},
            {"anyOf": [{**S, "format": "time"}, {"type": "null"}]},
            (BREAK, BREAK),
            id="another format under a union",
        ),
        *(
            pytest.param(
                {**S, "format": name, "maxLength": most},
                {**S, "format": name, "maxLength": less},
                (BREAK, OK),
                id=f"{name} of {most} characters, then of {less}",
            )
            for name in ("email", "idn-email")
            for most, less in ((320, 255), (320, 254), (300, 256), (100, 50), (20, 10))
        ),
        pytest.param(
            {"not": {"format": "date"}},
            {"not": {"format": "date", "minLength": 3}},
            (OK, "unknown"),
            id="what a format lets through is not known",
        ),
    ],
)
def test_asserted_formats(old: Any, new: Any, kinds: tuple[str, str]) -> None:
    found = compare(old, new, formats="asserted")
    assert (found.backward.kind, found.forward.kind) == kinds


def test_formats_are_ignored_by_default() -> None:
    assert compare(S, {**S, "format": "date"}).backward.kind == OK


def test_the_pointer_leads_to_the_keyword_as_written() -> None:
    money = {"type": "object", "properties": {"minor": I}, "additionalProperties": False}
    old = {"properties": {"a": {"$ref": "#/$defs/money"}}, "$defs": {"money": money}}
    new = json.loads(json.dumps(old).replace("integer", "string"))
    assert compare(old, new).backward.pointer == "/$defs/money/properties/minor/type"


def test_a_draft_is_read_by_its_own_rules() -> None:
    old, new = {"minimum": 0, "exclusiveMinimum": True}, {"minimum": 0}
    assert compare(old, new, dialect="draft4").backward.kind == OK
    assert compare(new, old, dialect="draft4").backward.witness == 0


@pytest.mark.parametrize(
    "old, new, reason",
    [
        pytest.param({"$ref": "#/$defs/none"}, S, "none", id="a reference to nothing"),
        pytest.param({"$ref": "https://example.com/a.json"}, S, "example.com", id="a remote reference"),
        pytest.param({"$schema": "https://example.com/mine"}, S, "mine", id="a dialect nobody knows"),
        pytest.param({"type": "strin"}, S, "strin", id="no valid schema"),
        pytest.param({"pattern": "("}, S, "", id="no valid pattern"),
        pytest.param({"anyOf": [{"$ref": "#"}, S]}, S, "refers to itself", id="a circle in place"),
        pytest.param("string", S, "mapping", id="no schema at all"),
        pytest.param(
            {"$schema": "http://json-schema.org/draft-07/schema#", "contentEncoding": "base64"},
            S,
            "the dialects differ: draft7 and draft2020-12; some keywords have another meaning in 2020-12: 'contentEncoding'",
            id="a keyword that means something else in another dialect",
        ),
        pytest.param(
            {
                "$schema": SEVEN_URI,
                "properties": {"a": {"$schema": "http://json-schema.org/draft-04/schema#", "const": 1}},
            },
            {"$schema": SEVEN_URI, "properties": {"a": {"enum": [1]}}},
            "has a subschema with another $schema",
            id="a subschema of another dialect, which does not know const",
        ),
    ],
)
def test_what_cannot_be_compared_is_unknown(old: Any, new: Any, reason: str) -> None:
    found = compare(old, new)
    assert found.backward.kind == found.forward.kind == "unknown"
    assert reason in (found.backward.reason or "")


@pytest.mark.parametrize("uri", [SEVEN_URI, SEVEN_URI.rstrip("#"), SEVEN_URI.replace("http:", "https:")])
@pytest.mark.parametrize("identity", [{}, {"$id": "https://shop.example/a"}])
def test_a_subschema_that_names_the_dialect_of_the_whole_is_compared(uri: str, identity: dict[str, str]) -> None:
    def schema(least: int, **root: str) -> dict[str, Any]:
        part = {"$schema": uri, **identity, "type": "string", "minLength": least}
        return {**root, "properties": {"a": part}}

    for root in ({"$schema": SEVEN_URI}, {}):
        found = compare(schema(1, **root), schema(2, **root), reader="strict", dialect="draft7")
        assert (found.backward.kind, found.forward.kind, found.forward.certified) == ("breaking", "compatible", True)


SEVEN = {
    "$schema": SEVEN_URI,
    "type": "object",
    "properties": {"at": {"$ref": "#/definitions/point"}},
    "dependencies": {"at": ["unit"]},
    "definitions": {"point": {"type": "array", "items": [I, I], "additionalItems": False}},
}


def test_schemas_of_two_dialects_are_compared_in_the_newer_one() -> None:
    new = {
        "type": "object",
        "properties": {"at": {"$ref": "#/$defs/point"}},
        "dependentRequired": {"at": ["unit"]},
        "$defs": {"point": {"type": "array", "prefixItems": [I, I], "items": False}},
    }
    assert compare(SEVEN, new).backward.kind == compare(SEVEN, new).forward.kind == OK
    narrower = {**new, "$defs": {"point": {"type": "array", "prefixItems": [I, S], "items": False}}}
    found = compare(SEVEN, narrower).backward
    assert (found.kind, found.pointer) == ("breaking", "/$defs/point/prefixItems/1/type")


def test_bottomless_schemas_are_unknown() -> None:
    deep: Any = {}
    for _ in range(100_000):
        deep = {"not": deep}
    assert compare(deep, S).backward.kind == "unknown"
    endless: dict[str, Any] = {}
    endless["properties"] = {"a": endless}
    assert compare(endless, S).forward.kind == "unknown"
    # Python would recurse to take the nest apart
    while deep:
        deep = deep.pop("not")


@pytest.mark.parametrize("option", ["reader", "formats", "dialect"])
def test_a_wrong_option_is_named(option: str) -> None:
    with pytest.raises(UsageError, match=option):
        compare(S, S, **{option: "none"})  # type: ignore[arg-type]


SCALARS = st.sampled_from(
    [
        S,
        I,
        {"type": "number", "minimum": 0},
        {"type": "integer", "maximum": 5},
        {"type": ["string", "null"]},
        {"enum": ["a", "b"]},
        {"const": 1},
        {"type": "string", "maxLength": 3},
        {"type": "string", "format": "date"},
        {},
    ]
)


def nested(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    names = st.sampled_from(["a", "b", "c"])
    return st.one_of(
        st.builds(
            lambda properties, required, closed: of(sorted(required), closed, **properties),
            st.dictionaries(names, inner, max_size=3),
            st.sets(names, max_size=2),
            st.booleans(),
        ),
        st.builds(lambda items: {"type": "array", "items": items}, inner),
        st.builds(lambda one, two: {"anyOf": [one, two]}, inner, inner),
        st.builds(lambda one, two: {"allOf": [one, two]}, inner, inner),
    )


SCHEMAS = st.recursive(SCALARS, nested, max_leaves=6)
FEW = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
READERS = st.sampled_from(["strict", "tolerant"])
FORMATS = st.sampled_from(["ignored", "asserted"])


@FEW
@given(SCHEMAS, READERS, FORMATS)
def test_a_schema_is_compatible_with_itself(schema: Any, reader: Any, formats: Any) -> None:
    found = compare(schema, json.loads(json.dumps(schema)), reader=reader, formats=formats)
    assert found.backward.kind == found.forward.kind == OK


@FEW
@given(SCHEMAS, SCHEMAS, READERS, FORMATS)
def test_forward_is_backward_the_other_way_round(one: Any, two: Any, reader: Any, formats: Any) -> None:
    here, there = (compare(*pair, reader=reader, formats=formats) for pair in ((one, two), (two, one)))
    assert here.backward == there.forward
    assert here.forward == there.backward


@FEW
@given(SCHEMAS, SCHEMAS, SCHEMAS)
def test_compatible_is_transitive_for_strict_readers(one: Any, two: Any, three: Any) -> None:
    first, second = compare(one, two, reader="strict"), compare(two, three, reader="strict")
    if first.backward.kind == second.backward.kind == OK:
        assert compare(one, three, reader="strict").backward.kind != BREAK


@FEW
@given(SCHEMAS, SCHEMAS)
def test_a_witness_is_sent_by_the_one_and_refused_by_the_other(old: Any, new: Any) -> None:
    found = compare(old, new, reader="strict").backward
    if found.kind == BREAK:
        assert jsonschema_rs.is_valid(old, found.witness)
        assert not jsonschema_rs.is_valid(new, found.witness)


@FEW
@given(st.dictionaries(st.sampled_from("abc"), SCALARS, min_size=1), SCALARS)
def test_an_optional_property_never_breaks_tolerant_readers(properties: Any, added: Any) -> None:
    found = compare(of(**properties), of(**properties, new=added))
    assert found.backward.kind == found.forward.kind == OK


def test_re_adding_a_property_with_another_type_breaks_the_oldest_version() -> None:
    one, two, three = of(a=S, b=S), of(a=S), of(a=S, b=I)
    assert compare(one, two).backward.kind == compare(two, three).backward.kind == OK
    assert compare(one, three).backward.kind == BREAK


@corpora_needed
@pytest.mark.parametrize(
    "corpus", ["apicurio", "atlassian", "confluent", "iglu", "jsoncompat", "oasdiff", "sentry_fixtures", "synthetic"]
)
def test_no_verdict_contradicts_what_is_known(corpus: str) -> None:
    scored = unknown = 0
    for line in (CORPORA / f"{corpus}.jsonl").open(encoding="utf-8"):
        case = json.loads(line)
        found = compare(case["old"], case["new"], reader="strict", dialect=case["draft"])
        for direction in ("backward", "forward"):
            kind, truth = getattr(found, direction).kind, case["truth"][direction]
            if truth in (OK, BREAK):
                assert kind in (truth, "unknown"), (case["id"], direction)
                scored, unknown = scored + 1, unknown + (kind == "unknown")
    assert unknown <= 0.06 * scored


@corpora_needed
@pytest.mark.parametrize("reader, suffix", [("strict", ""), ("tolerant", "_tolerant")])
def test_every_kind_of_change_is_judged_right(reader: Any, suffix: str) -> None:
    wrong = []
    for line in (CORPORA / "change_kinds.jsonl").open(encoding="utf-8"):
        case = json.loads(line)
        found = compare(case["old"], case["new"], reader=reader, dialect=case["draft"])
        for direction in ("backward", "forward"):
            expected = case["expected"].get(direction + suffix)
            if expected is not None and getattr(found, direction).kind != (OK if expected else BREAK):
                wrong.append((case["id"], direction))
    assert wrong == []


def test_a_schema_on_which_the_library_panics_leaves_the_verdict_unknown() -> None:
    schema = {"$defs": {"k": {"$id": "b", "$anchor": "f"}}, "properties": {"q": {"$id": "b", "$ref": "#f"}}}
    result = compare(schema, {**schema, "maxProperties": 3})
    assert (result.backward.kind, result.forward.kind) == ("unknown", "unknown")
    assert "an $id may occur twice" in str(result.backward.reason)
    assert "only one subschema" in str(result.backward.fix)


@pytest.mark.parametrize("reader", ["strict", "tolerant"])
@pytest.mark.parametrize(
    "schema",
    [
        pytest.param({"$ref": "#/$defs/gone"}, id="a reference leads nowhere"),
        pytest.param({"properties": {"a": {"type": "text"}}}, id="an unknown type"),
        pytest.param({"pattern": "("}, id="a pattern that no engine reads"),
        pytest.param({"$ref": "#"}, id="a reference to itself"),
        pytest.param({"$defs": {"a": {"$ref": "https://example.com/a"}}}, id="a reference to another server"),
        pytest.param({"title": 1}, id="an annotation of the wrong type"),
    ],
)
def test_equal_schemas_that_no_validator_can_use_are_unknown(schema: Any, reader: Any) -> None:
    for new in (schema, {**schema, "description": "Another text."}):
        result = compare(schema, new, reader=reader)
        assert (result.backward.kind, result.forward.kind) == ("unknown", "unknown")
        assert result.backward.reason
        comparison, certificates = certify(schema, new, reader=reader)
        assert (comparison.backward.kind, certificates["backward"]) == ("unknown", None)
