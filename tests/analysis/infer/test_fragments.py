"""Shared fragments: objects of many properties by their names, and those of few by more than these."""

from __future__ import annotations

import pytest
from inferred import sketched

from babelreg.analysis.infer.fragments import find_fragments


def amount(minor, currency):
    return {"minor": minor, "currency": currency}


def found(messages):
    """Return the paths of the places by the name of their fragment."""
    sketches = {name: sketched(samples) for name, samples in messages.items()}
    return {
        name: [".".join((place.message, *place.names)) for place in fragment.places]
        for name, fragment in find_fragments(sketches).by_name.items()
    }


PERSON = {"id": 1, "login": "a", "url": "b", "age": 2}
CURRENCIES = ["EUR", "USD"]
REFERENCE = {"id": 1, "name": "x y"}


@pytest.mark.parametrize(
    "messages, expected",
    [
        pytest.param(
            {"m": [{"sender": PERSON, "owner": PERSON, "by": {**PERSON, "site": "c"}}]},
            {"by": ["m.by", "m.owner", "m.sender"]},
            id="about the same four names",
        ),
        pytest.param({"m": [{"sender": PERSON, "owner": PERSON}]}, {}, id="at two places"),
        pytest.param(
            {"m": [{name: amount(1, each) for name in ("price", "tax", "total")} for each in CURRENCIES]},
            {"price": ["m.price", "m.tax", "m.total"]},
            id="two names, with the members of one enumeration",
        ),
        pytest.param(
            {name: [{"customer": REFERENCE}] for name in ("m", "n", "o")},
            {"customer": ["m.customer", "n.customer", "o.customer"]},
            id="two names, of objects with one name",
        ),
        pytest.param({"m": [{"customer": REFERENCE, "shop": REFERENCE, "brand": REFERENCE}]}, {}, id="two names alone"),
        pytest.param(
            {"m": [{"customer": REFERENCE}], "n": [{"customer": REFERENCE}], "o": [{"customer": {**REFERENCE, "id": "x"}}]},
            {},
            id="two names of another type",
        ),
        pytest.param(
            {"m": [{"customer": REFERENCE}], "n": [{"customer": REFERENCE}], "o": [{"customer": {**REFERENCE, "at": 1}}]},
            {},
            id="one name more",
        ),
        pytest.param(
            {"m": [{"price": amount(1, f"C{n}"), "tax": amount(1, f"D{n}"), "total": amount(1, f"E{n}")} for n in range(3)]},
            {},
            id="two names, with the members of different enumerations",
        ),
        pytest.param({name: [{"f": {"x": 1}}] for name in ("m", "n", "o")}, {}, id="one name"),
    ],
)  # fmt: skip
def test_objects_of_one_kind_are_shared(messages, expected):
    assert found(messages) == expected
