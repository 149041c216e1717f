"""Names of tables tell URNs apart, and places are schemas or folders."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from babelreg.errors import UsageError
from babelreg.model import Urn
from babelreg.spark.platform.formats.table_names import BATCHES, TablePlace, base_name, table_name

PART = st.from_regex(r"[a-z0-9][a-z0-9_-]{0,3}", fullmatch=True).filter(lambda part: not re.fullmatch("v[0-9]+", part))
URNS = st.builds(
    lambda context, parts: f"urn:babel:{context}:{'.'.join(parts)}",
    st.from_regex(r"[a-z0-9-]{1,4}", fullmatch=True),
    st.tuples(st.lists(PART, min_size=1, max_size=3), st.sampled_from([[], ["v2"], ["v31"]])).map(
        lambda pair: pair[0] + pair[1]
    ),
)


@pytest.mark.parametrize(
    "urn, name",
    [
        pytest.param("urn:babel:orders:created", "orders_created__rows", id="context and name"),
        pytest.param("urn:babel:orders:invoice.requested.v2", "orders_invoice_requested_v2__rows", id="a version"),
        pytest.param("urn:babel:user-mail:sent", "user_mail_sent__", id="a hyphen could be a dot"),
        pytest.param("urn:babel:orders:line_added", "orders_line_added__", id="an underscore could be a dot"),
        pytest.param("urn:babel:1shop:made", "message_1shop_made__", id="a digit gets a prefix"),
    ],
)
def test_a_table_is_named_for_its_urn(urn: str, name: str) -> None:
    if name.endswith("__rows"):
        assert table_name(urn) == name
    else:
        assert re.fullmatch(f"{name}[0-9a-f]{{8}}__rows", table_name(urn))


@given(URNS, URNS)
def test_two_urns_never_share_a_table(one: str, other: str) -> None:
    one, other = str(Urn.parse(one)), str(Urn.parse(other))
    assert (one == other) == (table_name(one) == table_name(other))
    assert not table_name(one).startswith("babelreg__")
    assert BATCHES != table_name(one) != base_name(other)


@pytest.mark.parametrize(
    "at, folder",
    [
        pytest.param("catalog.schema", False, id="a schema of a catalog"),
        pytest.param("spark_catalog.lake", False, id="a schema of Spark's own catalog"),
        pytest.param("s3a://bucket/lake/", True, id="an address"),
        pytest.param("/data/lake", True, id="a path"),
    ],
)
def test_a_place_is_a_schema_or_a_folder(at: str, folder: bool) -> None:
    assert TablePlace.of(at).is_folder == folder


@pytest.mark.parametrize("at", ["lake", "", "my lake", "../lake", "a.b`c", "catalog.", "s3a:"])
def test_another_place_is_refused_with_what_to_write(at: str) -> None:
    with pytest.raises(UsageError) as caught:
        TablePlace.of(at)
    assert "at='catalog.schema'" in str(caught.value)
