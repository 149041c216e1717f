"""A refused message as lines: its structure, and of its values what the registry vouches for."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from babelreg import load
from babelreg.lake.report.redacted_message import Line, MessageMasker
from babelreg.load.service.starter import example_folder
from babelreg.model import Registry

URN = "urn:babel:orders:created.v2"


def envelope(data: Any, urn: str = URN, **more: Any) -> bytes:
    meta = {"id": "f1e2d3c4-b5a6-4789-90ab-cdef01234567", "queue": "orders", "lang": "go", "schema_version": 1}
    body = {"job": urn, "trace_id": "t-1", "data": data, "meta": {**meta, "created_at": 1}, "attempts": 0, **more}
    return json.dumps(body, ensure_ascii=False).encode()


def shown(lines: list[Line], name: str) -> tuple[str, str, bool]:
    return next((line.text, line.kind, line.refused) for line in lines if line.name == name)


def lines_of(example: Registry, data: Any, pointer: str = "", urn: str = URN) -> list[Line]:
    return MessageMasker(example).lines(envelope(data, urn), urn, pointer)


@pytest.mark.parametrize(
    "data, name, pointer, text",
    [
        pytest.param({"order_id": 1042}, "order_id", "/data", ("1042", "plain", False), id="a declared number"),
        pytest.param(
            {"order_id": 0}, "order_id", "/data/order_id", ("9", "shape", True), id="what was refused is a shape"
        ),
        pytest.param(
            {"order_id": "A-7"}, "order_id", "/data/order_id", ('"X-9"', "shape", True), id="a text for a number"
        ),
        pytest.param({"channel": "web"}, "channel", "", ('"web"', "plain", False), id="a listed text"),
        pytest.param(
            {"channel": "me@x.y"}, "channel", "", ('"xx@x.x"', "shape", False), id="a text that is not listed"
        ),
        pytest.param(
            {"email": "ada@example.com"},
            "email",
            "/data/email",
            ("email", "personal", True),
            id="personal data, refused or not",
        ),
        pytest.param(
            {"email": {"a": [1]}}, "email", "", ("email", "personal", False), id="personal data of another type"
        ),
        pytest.param({"": "x"}, "", "", ('"x"', "shape", False), id="a member without a name"),
        pytest.param(
            {"emial": "ada@example.com"}, "emial", "", ('"xxx@xxxxxxx.xxx"', "shape", False), id="a misspelt name"
        ),
        pytest.param({"ada@example.com": 1}, "xxx@xxxxxxx.xxx", "", ("9", "shape", False), id="a key that is a value"),
        pytest.param({"order_id": None}, "order_id", "", ("null", "plain", False), id="null says nothing"),
        pytest.param({"lines": []}, "lines", "", ("[]", "plain", False), id="an empty array"),
    ],
)
def test_a_value_is_shown_as_the_registry_vouches_for_it(
    data: Any, name: str, pointer: str, text: tuple[str, str, bool], example: Registry
) -> None:
    assert shown(lines_of(example, data, pointer), name) == text


def test_of_an_unknown_urn_only_structure_and_shapes_are_shown(example: Registry) -> None:
    lines = lines_of(example, {"order_id": 1042, "who": {"email": "ada@x.y"}}, urn="urn:babel:a:b")
    assert [(line.name, line.text) for line in lines if line.depth >= 2][:3] == [
        ("xxxxx_xx", "9999"),
        ("xxx", "{"),
        ("xxxxx", '"xxx@x.x"'),
    ]


def test_without_a_registry_all_data_are_shapes() -> None:
    lines = MessageMasker(None).lines(envelope({"order_id": 1042}), URN, "")
    assert shown(lines, "xxxxx_xx") == ("9999", "shape", False)
    assert shown(lines, "queue")[1] == "shape"


def test_the_way_to_what_was_refused_is_always_shown(example: Registry) -> None:
    data = {f"field_{chr(97 + n // 26)}{chr(97 + n % 26)}": n for n in range(300)}
    data["lines"] = [{"sku": "TEA-100", "qty": 1} for _ in range(500)]
    data["lines"][499]["qty"] = 0
    lines = lines_of(example, data, "/data/lines/499/qty")
    assert [line.text for line in lines if line.refused] == ["9"]
    assert len(lines) < 60
    assert [line.text for line in lines if line.kind == "note"][:1] == ["… 497 more"]


@pytest.mark.parametrize(
    "pointer, told",
    [
        pytest.param("/data/lines/17/qty", "/data/lines/*/qty", id="an index"),
        pytest.param("/data/ada@example.com/qty", "/data/*/*", id="a key that is a value, and all below it"),
        pytest.param("/data/emial", "/data/emial", id="a misspelt name"),
        pytest.param("/meta/created_at", "/meta/created_at", id="the envelope"),
        pytest.param("/data/email/ada@x", "/data/email/*", id="below personal data"),
        pytest.param("/data" + "/lines/0" * 20, "/data/lines/*/lines" + "/*" * 12 + "/…", id="a deep one"),
        pytest.param("nonsense", "", id="no pointer"),
        pytest.param("/" + "x" * 5_000, "", id="a very long one"),
    ],
)
def test_a_pointer_names_fields_and_nothing_else(pointer: str, told: str, example: Registry) -> None:
    assert MessageMasker(example).pointer(URN, pointer) == told


SECRET = "q7391@w"
JSON = st.recursive(
    st.sampled_from([SECRET, SECRET * 20, 73917391739173, True, None, 0.7391]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["email", "order_id", "lines", "sku", "total", SECRET]), inner, max_size=4)
    ),
    max_leaves=12,
)
MASKER = MessageMasker(load.registry(example_folder()))


@settings(max_examples=150, deadline=None)
@given(JSON, st.sampled_from([URN, "urn:babel:customers:registered", "urn:babel:no:body"]), st.booleans())
def test_no_text_of_a_message_is_shown_whatever_stands_where(data: Any, urn: str, cut: bool) -> None:
    body = envelope(data, urn, extra=data, trace_id=SECRET)
    told = MASKER.lines(body[:-3] if cut else body, urn, "/data/lines/0/sku")
    assert SECRET not in "".join((line.name or "") + line.text for line in told)
    assert len(told) < 80


def test_a_deep_and_a_large_message_are_shown_within_bounds(example: Registry) -> None:
    deep: Any = 1
    for _ in range(500):
        deep = [deep]
    assert len(lines_of(example, {"lines": deep}, "/data/lines" + "/0" * 500)) < 120
    assert [line.kind for line in lines_of(example, {"x": "y" * 3_000_000})] == ["bytes", "bytes", "note"]
