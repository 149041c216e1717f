from __future__ import annotations

from collections.abc import Callable

import pytest

InData = Callable[..., list[str]]
RULE = "envelope-field-in-data"


@pytest.mark.parametrize(
    "properties, found",
    [
        pytest.param("trace_id: {type: string}", ["trace_id"], id="the trace"),
        pytest.param("traceId: {type: string}", ["traceId"], id="in another case"),
        pytest.param("schema_version: {const: 1}", ["schema_version"], id="the version of the envelope"),
        pytest.param("job: {const: 'urn:babel:orders:created'}", ["job"], id="the URN itself"),
        pytest.param("urn: {type: string, pattern: '^urn:babel:'}", ["urn"], id="a URN by its pattern"),
        pytest.param(
            "meta: {properties: {id: {}, queue: {}, created_at: {}}}", ["meta"], id="what the envelope has below meta"
        ),
        pytest.param("job: {}\nmeta: {}\nattempts: {}", ["job", "meta", "attempts"], id="most of an envelope"),
    ],
)
def test_what_the_envelope_has_is_reported(properties: str, found: list[str], in_data: InData) -> None:
    assert in_data(RULE, properties) == found


@pytest.mark.parametrize(
    "properties",
    [
        pytest.param("attempts: {type: integer}", id="attempts of something else"),
        pytest.param("job: {type: string}", id="somebody's job"),
        pytest.param("meta: {type: object, properties: {source: {}, id: {}}}", id="words about the data"),
        pytest.param("job: {}\nattempts: {}", id="a job that is tried again"),
        pytest.param("schema_version: {type: string}", id="the version of a format of one's own"),
        pytest.param("created_at: {type: string}", id="when the thing was made"),
        pytest.param("message_id: {type: string}", id="the id of a mail"),
        pytest.param("checkout_trace_id: {type: string}", id="a trace of its own"),
        pytest.param("a: {properties: {trace_id: {type: string}}}", id="deeper, where it is the thing's own"),
        pytest.param("lang: {type: string}\nqueue: {type: string}\nid: {type: integer}", id="words of many meanings"),
    ],
)
def test_what_is_a_fact_of_its_own_is_not(properties: str, in_data: InData) -> None:
    assert in_data(RULE, properties) == []
