"""Names of messages: the URN and its aliases."""

from __future__ import annotations

import pytest

from babelreg.load import from_tree
from babelreg.load.files.tree import Memory
from babelreg.model import Registry
from babelreg.model.wire_mapping import declared_names

CLICKED, ORDERED = "urn:babel:web:clicked", "urn:babel:web:ordered"


def registry(clicked: str, ordered: str) -> Registry:
    text = "urn: {}\naliases: {}\nkind: event\ndata: {{type: object}}\n"
    files = {"web/clicked.yaml": text.format(CLICKED, clicked), "web/ordered.yaml": text.format(ORDERED, ordered)}
    return from_tree(Memory({name: body.encode() for name, body in files.items()} | {"babelreg.yaml": b"version: 1\n"}))


@pytest.mark.parametrize(
    "name, urn",
    [
        pytest.param("Web.Clicked", CLICKED, id="an alias"),
        pytest.param(CLICKED, CLICKED, id="a URN"),
        pytest.param("web.clicked", "web.clicked", id="another spelling is another name"),
        pytest.param(ORDERED, ORDERED, id="an alias that is a declared URN is not an alias"),
        pytest.param("Both", CLICKED, id="of two claims, the first by path"),
    ],
)
def test_a_name_resolves_to_the_urn_of_its_message(name: str, urn: str) -> None:
    declared = registry(f"[Web.Clicked, '{ORDERED}', Both]", "[Both]")
    assert declared.resolve(name) == urn
    assert declared.by_name.get(name) is declared.by_urn.get(urn)


def test_the_names_of_messages_are_those_that_foreign_formats_may_carry() -> None:
    declared = registry("[Web.Clicked]", "[]")
    assert declared_names(declared) == {CLICKED: CLICKED, ORDERED: ORDERED, "Web.Clicked": CLICKED}
    assert declared.names([CLICKED]) == {CLICKED, "Web.Clicked"}
