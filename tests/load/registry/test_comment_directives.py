"""Comments that speak to babelreg: which are comments at all, and the line that each speaks of."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from babelreg.load import from_tree
from babelreg.load.files.tree import Memory
from babelreg.load.registry.comment_directives import remarks
from babelreg.load.registry.document import Document


@pytest.mark.parametrize(
    "text, found",
    [
        pytest.param("a: 1 # babelreg: x\n", [(1, 6, "x", 1)], id="behind a value"),
        pytest.param("# babelreg: x\na: 1\n", [(1, 1, "x", 2)], id="on the line above"),
        pytest.param("a:\n  # babelreg: x\n  b: 1\n", [(2, 3, "x", 3)], id="indented"),
        pytest.param("# babelreg: x\n# babelreg: y\na: 1\n", [(1, 1, "x", 3), (2, 1, "y", 3)], id="two for one line"),
        pytest.param("# babelreg: x\n# why\na: 1\n", [(1, 1, "x", 3)], id="another comment between"),
        pytest.param("# babelreg: x\n\na: 1\n", [(1, 1, "x", 0)], id="a blank line between"),
        pytest.param("a: 1\n# babelreg: x\n", [(2, 1, "x", 0)], id="nothing below"),
        pytest.param("a: 1\n# babelreg: x", [(2, 1, "x", 0)], id="at the very end"),
        pytest.param("#babelreg:x\na: 1\n", [(1, 1, "x", 2)], id="without spaces"),
        pytest.param("#\tbabelreg:\tx\ty \na: 1\n", [(1, 1, "x\ty", 2)], id="with tabs"),
        pytest.param("a: 1 # babelreg:\n", [(1, 6, "", 1)], id="saying nothing"),
        pytest.param("a: {b: 1, # babelreg: x\n    c: 2}\n", [(1, 11, "x", 1)], id="between braces"),
        pytest.param("a: [ # babelreg: x\n]\n", [(1, 6, "x", 1)], id="in an empty list"),
        pytest.param("a: | # babelreg: x\n  text\n", [(1, 6, "x", 1)], id="behind the sign of a block of text"),
        pytest.param("a: |\n  text\n# babelreg: x\nb: 1\n", [(3, 1, "x", 4)], id="below a block of text"),
        pytest.param("a: >-\n  text\n\n  # no\nb: 1 # babelreg: x\n", [(5, 6, "x", 5)], id="behind a folded block"),
        pytest.param("a: 1 # babelreg: x\r\nb: 2 # babelreg: y\r\n", [(1, 6, "x", 1), (2, 6, "y", 2)], id="CRLF"),
        pytest.param("ä: ö # babelreg: ü\n", [(1, 6, "ü", 1)], id="columns count letters"),
        pytest.param("a: b#c # babelreg: x\n", [(1, 8, "x", 1)], id="behind a value with a hash"),
        pytest.param("a: '#' # babelreg: x\n", [(1, 8, "x", 1)], id="behind a hash in quotes"),
        pytest.param("'a # b': 1 # babelreg: x\n", [(1, 12, "x", 1)], id="behind a key with a hash"),
        pytest.param("a: one\n  two # babelreg: x\n", [(2, 7, "x", 2)], id="behind text over two lines"),
        pytest.param("a: '# babelreg: x'\n", [], id="in single quotes"),
        pytest.param('a: "\n  # babelreg: x"\n', [], id="in double quotes, on the next line"),
        pytest.param("a: |\n  # babelreg: x\n", [], id="in a block of text"),
        pytest.param("a: >\n  b\n  # babelreg: x\n", [], id="in a folded block"),
        pytest.param('"# babelreg: x": 1\n', [], id="in a key"),
        pytest.param("a: b# babelreg:x\n", [], id="a hash without a space before it"),
        pytest.param("a: 1 # see babelreg: x\n", [], id="a comment that only mentions it"),
        pytest.param("a: 1 # note # babelreg: x\n", [], id="a comment within a comment"),
        pytest.param("a: 1 # babelregistry: x\n", [], id="a longer word"),
        pytest.param("a: 1 # babelreg x\n", [], id="without a colon"),
    ],
)
def test_a_remark_and_the_line_it_speaks_of(text: str, found: list[tuple[int, int, str, int]]) -> None:
    told = remarks(Document("a.yaml", text))
    assert [(r.line, r.column, r.text, r.about) for r in told] == found
    assert [str(r.place()) for r in told] == [f"a.yaml:{line}:{column}" for line, column, _, _ in found]


def test_the_remarks_of_every_kind_of_file_are_kept() -> None:
    files = {
        "babelreg.yaml": "version: 1 # babelreg: 1\n",
        "_common/a.yaml": "type: object # babelreg: 2\n",
        "_services/s.yaml": "owner: me # babelreg: 3\n",
        "orders/_context.yaml": "owner: me # babelreg: 4\n",
        "orders/created.yaml": "urn: x # babelreg: 5\n",
        "orders/broken.yaml": "urn: [ # babelreg: 6\n",
    }
    registry = from_tree(Memory({path: text.encode() for path, text in files.items()}))
    assert {(r.path, r.text) for r in registry.remarks} == {
        (path, str(i)) for i, path in enumerate(files, 1) if "broken" not in path
    }


values = st.recursive(
    st.sampled_from(["a", "'#'", '"x # babelreg: no"', "b#c", "1"]),
    lambda inner: st.lists(inner, max_size=3).map(lambda items: f"[{', '.join(items)}]"),
    max_leaves=4,
)


@given(st.lists(values, min_size=1, max_size=8), st.data())
def test_every_remark_behind_a_value_is_found_and_no_other(items: list[str], data: st.DataObject) -> None:
    spoken = data.draw(st.lists(st.booleans(), min_size=len(items), max_size=len(items)))
    lines = [f"- {item}{' # babelreg: yes' if said else ''}\n" for item, said in zip(items, spoken, strict=True)]
    found = remarks(Document("a.yaml", "".join(lines)))
    assert [(r.line, r.about, r.text) for r in found] == [(i, i, "yes") for i, said in enumerate(spoken, 1) if said]
