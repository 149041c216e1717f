"""A place is the same whether all positions of the file are known or only where it begins."""

from __future__ import annotations

import pytest
from each import each

from babelreg.load.registry.document import Document
from babelreg.schema.pointer import Pointer

TEXTS = {
    "a mapping": "# what it is\na: 1\nb: {c: 2}\n",
    "a mapping below a mark": "---\n\n  a: 1\n",
    "a flow mapping": "  {a: 1}\n",
    "a list": "- 1\n- 2\n",
    "a scalar": "\n  word\n",
    "nothing": "",
    "a comment alone": "# nothing yet\n",
}
POINTERS: list[Pointer] = [(), ("missing",), ("missing", 0, "deep"), (7,), ("a",), ("a", "below"), (0,), ("0",)]


@each("text", [pytest.param(text, id=name) for name, text in TEXTS.items()])
@each("pointer", POINTERS)
@each("key", [True, False])
def test_a_place_needs_no_other_position(text: str, pointer: Pointer, key: bool) -> None:
    quick, thorough = Document("a.yaml", text), Document("a.yaml", text)
    assert thorough.marks.line >= 1
    assert quick.place(pointer, key=key) == thorough.place(pointer, key=key)


def test_what_concerns_the_whole_file_costs_no_positions() -> None:
    document = Document("a.yaml", "a: 1\n")
    assert str(document.place(("missing",))) == "a.yaml:1:1"
    assert "marks" not in vars(document)
