from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from babelreg.finding import Finding

TEXT = {"type": "string"}


def of(*, more: Any = None, **properties: Any) -> dict[str, Any]:
    listed = {"properties": properties} if properties else {}
    return {"type": "object", **listed} | ({} if more is None else {"additionalProperties": more})


def declared(path: str) -> str:
    return f"property '{path}' is declared now, and could be sent with any value so far"


@pytest.mark.parametrize(
    "old, new, found",
    [
        pytest.param(of(a=TEXT, more=True), of(a=TEXT, b=TEXT, more=True), [declared("x.b")], id="other names allowed"),
        pytest.param(of(a=TEXT, more=True), of(a=TEXT, b=TEXT), [declared("x.b")], id="and no longer"),
        pytest.param(of(), of(b=TEXT), [declared("x.b")], id="no names listed"),
        pytest.param(
            of(a=TEXT, more=True),
            of(a=TEXT, b={**TEXT, "minLength": 2, "pattern": "^x"}, more=True),
            [declared("x.b")],
            id="with several limits",
        ),
        pytest.param(
            of(a=TEXT, more=True),
            of(a=TEXT, b={**of(c=TEXT), "required": ["c"]}, more=True),
            [declared("x.b")],
            id="with limits within",
        ),
        pytest.param(
            of(a=TEXT, more=True),
            {**of(a=TEXT, b=TEXT, more=True), "required": ["b"]},
            [declared("x.b"), "required property 'x.b' was added"],
            id="and required",
        ),
        pytest.param(of(a=TEXT), of(a=TEXT, b=TEXT), [], id="other names not said to be allowed"),
        pytest.param(of(a=TEXT, more=True), of(a=TEXT, b={}, more=True), [], id="without limits"),
        pytest.param(
            of(a=TEXT, more={"type": "integer"}),
            of(a=TEXT, b=TEXT, more={"type": "integer"}),
            ["the type of 'x.b' changed from integer to string"],
            id="other names had a type",
        ),
        pytest.param(of(a={}), of(a=TEXT), ["the type of 'x.a' changed from any type to string"], id="it was listed"),
    ],
)
def test_property_declared(
    old: Any, new: Any, found: list[str], data_breaks: Callable[[Any, Any], list[Finding]]
) -> None:
    wanted = [f.message for f in data_breaks(old, new) if f.rule != "spark-type-changed" and f.direction != "forward"]
    assert sorted(wanted) == sorted(found)


def test_both_places_are_shown(data_breaks: Callable[[Any, Any], list[Finding]]) -> None:
    findings = data_breaks(of(a=TEXT, more=True), of(a=TEXT, b=TEXT, more=True))
    (found,) = [finding for finding in findings if finding.rule == "property-declared"]
    assert found.pointer == "/data/properties/x/properties/b"
    assert found.against is not None
    assert found.witness == {"x": {"b": 0}}
    assert found.fix == "declare 'x.b' without limits, or run `babelreg mint urn:babel:orders:created`"
