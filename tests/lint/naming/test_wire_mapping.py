"""Defects of ``wires:`` are found by the code of ``wire.mapping.check``."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.lint.naming.wire_mapping import mapping_defects, place_of
from babelreg.lint.scope import Scope
from babelreg.model import Registry

WIRES = """\
# file: orders/created.yaml
urn: urn:babel:orders:created
# file: babelreg.yaml
version: 1
wires:
  flowlayer: {commands: {'': urn:babel:a:b}}
  phpmq: {queues: {A: urn:babel:orders:created, B: urn:babel:orders:created}}
"""


@pytest.mark.parametrize(
    "code, found",
    [
        ("unknown_urn", [(("wires", "flowlayer", "commands", ""), "urn:babel:a:b")]),
        ("name_not_on_wire", [(("wires", "flowlayer", "commands", ""), "urn:babel:a:b")]),
        ("urn_mapped_twice", [(("wires", "phpmq", "queues", "B"), "urn:babel:orders:created")]),
        ("wrong_shape", []),
        ("unknown_format", []),
    ],
)
def test_defects_have_their_place_and_urn(
    code: str, found: list[tuple[tuple[str, ...], str]], registry: Callable[[str], Registry]
) -> None:
    defects = mapping_defects(Scope(registry(WIRES)), code)
    assert [(place_of(defect), urn) for _, defect, urn in defects] == found


def test_a_registry_without_settings_has_no_defects(registry: Callable[[str], Registry]) -> None:
    loaded = registry("# file: orders/created.yaml\nurn: urn:babel:orders:created\n# no file: babelreg.yaml\n")
    assert list(mapping_defects(Scope(loaded), "unknown_urn")) == []
