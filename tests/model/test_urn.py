"""URNs: read, refused at the right character, ordered, followed by their next version."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from babelreg.model import Urn, UrnError


@pytest.mark.parametrize(
    "text, urn",
    [
        pytest.param("urn:babel:orders:created", Urn("orders", "created"), id="a plain name"),
        pytest.param("urn:babel:orders:created.v2", Urn("orders", "created", 2), id="a version"),
        pytest.param("urn:babel:orders:created.v12", Urn("orders", "created", 12), id="a version of two digits"),
        pytest.param(
            "urn:babel:notifications:email.welcome.send", Urn("notifications", "email.welcome.send"), id="sub-parts"
        ),
        pytest.param("urn:babel:a-1:b_c-d.e2", Urn("a-1", "b_c-d.e2"), id="dashes, underscores, digits"),
        pytest.param("urn:babel:orders:v2x", Urn("orders", "v2x"), id="v2x is a name"),
    ],
)
def test_a_good_urn_is_read_and_spelled_the_same(text, urn):
    assert Urn.parse(text) == urn
    assert str(urn) == text


@pytest.mark.parametrize(
    "text, offset",
    [
        pytest.param("", 0, id="empty"),
        pytest.param("urn:acme:orders:created", 0, id="another namespace"),
        pytest.param("URN:babel:orders:created", 0, id="upper-case scheme"),
        pytest.param("urn:babel::created", 10, id="no context"),
        pytest.param("urn:babel:orders", 16, id="no name"),
        pytest.param("urn:babel:orders:", 17, id="an empty name"),
        pytest.param("urn:babel:Orders:created", 10, id="upper-case context"),
        pytest.param("urn:babel:or.ders:created", 12, id="a dot in the context"),
        pytest.param("urn:babel:orders:Created", 17, id="upper-case name"),
        pytest.param("urn:babel:orders:cr eated", 19, id="a space"),
        pytest.param("urn:babel:orders:a..b", 19, id="two dots"),
        pytest.param("urn:babel:orders:a.", 19, id="a dot at the end"),
        pytest.param("urn:babel:orders:.a", 17, id="a dot at the start"),
        pytest.param("urn:babel:orders:a:b", 18, id="a third colon"),
        pytest.param("urn:babel:orders:_a", 17, id="an underscore at the start"),
        pytest.param("urn:babel:orders:a.v1", 19, id="version 1"),
        pytest.param("urn:babel:orders:a.v02", 19, id="a leading zero"),
        pytest.param("urn:babel:orders:a.v2.b", 19, id="a version in the middle"),
        pytest.param("urn:babel:orders:a.v2.v3", 19, id="two versions"),
        pytest.param("urn:babel:orders:v2", 17, id="a version alone"),
        pytest.param("urn:babel:orders:crëated", 19, id="a letter with an accent"),
        pytest.param("urn:babel:orders:created\n", 24, id="a line end"),
        pytest.param("urn:babel:orders:" + "a" * 300, 255, id="too long"),
    ],
)
def test_a_bad_urn_is_refused_at_its_first_wrong_character(text, offset):
    with pytest.raises(UrnError) as caught:
        Urn.parse(text)
    assert caught.value.offset == offset


def test_versions_follow_each_other():
    first = Urn.parse("urn:babel:orders:created")
    assert str(first.next) == "urn:babel:orders:created.v2"
    assert first.next.previous == first
    assert first.previous is None
    assert first.next.next.first == first
    assert sorted([first.next.next, first, first.next]) == [first, first.next, first.next.next]


def test_the_path_mirrors_the_urn():
    assert Urn.parse("urn:babel:orders:invoice.requested").path == "orders/invoice.requested.yaml"
    assert Urn.parse("urn:babel:orders:created.v2").path == "orders/created.v2.yaml"


@given(st.text(alphabet="urn:babel.v29-_Aé\n ", max_size=30))
def test_any_text_is_either_read_back_the_same_or_refused(text):
    try:
        urn = Urn.parse(f"urn:babel:{text}")
    except UrnError as err:
        assert 0 <= err.offset <= len(err.text)
    else:
        assert str(urn) == f"urn:babel:{text}"
