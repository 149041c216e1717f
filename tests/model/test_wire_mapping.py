"""The names of a registry's messages in one wire format."""

from __future__ import annotations

import pytest

from babelreg import load
from babelreg.load.files.tree import Memory
from babelreg.model.wire_mapping import keys_by_urn, wire_mapping

FILES = {
    "orders/created.yaml": b"urn: urn:babel:orders:created\n",
    "babelreg.yaml": b"version: 1\nwires:\n  flowlayer: {events: {OrderCreated: urn:babel:orders:created}}\n",
}


@pytest.mark.parametrize(
    "wire, keys",
    [
        pytest.param("flowlayer", {"urn:babel:orders:created": ("events", "OrderCreated")}, id="a name in its block"),
        pytest.param("strata", {}, id="no block"),
        pytest.param("babelqueue", {}, id="a format without names"),
    ],
)
def test_the_keys_of_messages(wire: str, keys: dict[str, tuple[str, ...]]) -> None:
    found = load.from_tree(Memory(FILES))
    assert keys_by_urn(found, wire) == keys
    assert wire_mapping(found, wire).urns == {key: urn for urn, key in keys.items()}
