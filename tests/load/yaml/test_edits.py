"""Edits change what they name and nothing else."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from babelreg.load.yaml import edits, parser

TEXT = """\
# the file's own comment
urn: urn:babel:orders:created   # who we are
status: 'active'
producers: [orders-api, shop]  # two
data:
  type: object
  required: [order_id]   # keep
  properties:
    # numbers
    order_id: {type: integer, minimum: 1}
    note: |
      several
      lines
examples:
  - order_id: 1
    note: a
  - {order_id: 2}
last:
"""


@pytest.mark.parametrize(
    "pointer, value, old, new",
    [
        pytest.param(("status",), "draft", "'active'", "draft", id="a quoted scalar"),
        pytest.param(
            ("urn",), "urn:babel:a:b.v2", "urn:babel:orders:created ", "urn:babel:a:b.v2 ", id="a plain scalar"
        ),
        pytest.param(("producers", 1), "no", "shop", '"no"', id="an ambiguous word is quoted"),
        pytest.param(("producers",), [], "[orders-api, shop]", "[]", id="a flow list"),
        pytest.param(("data", "properties", "order_id", "minimum"), 2, "minimum: 1", "minimum: 2", id="deep in flow"),
        pytest.param(("data", "properties", "note"), "x", "|\n      several\n      lines", "x", id="a block scalar"),
        pytest.param(("examples", 0, "note"), None, "note: a", "note: null", id="a member of an item"),
        pytest.param(("last",), 1, "last:", "last: 1", id="a key without a value"),
        pytest.param(
            ("examples",), [1], "\n  - order_id: 1\n    note: a\n  - {order_id: 2}", " [1]", id="a block list"
        ),
    ],
)
def test_replacing_touches_only_the_value(pointer, value, old, new):
    assert edits.replace(TEXT, pointer, value) == TEXT.replace(old, new, 1)


@pytest.mark.parametrize(
    "pointer, value, after, old, new",
    [
        pytest.param(
            ("sunset",), "2099-01-01", "status", "'active'\n", "'active'\nsunset: \"2099-01-01\"\n", id="behind a key"
        ),
        pytest.param(
            ("data", "title"), "T", "required", "# keep\n", "# keep\n  title: T\n", id="behind a line's comment"
        ),
        pytest.param(
            ("data", "properties", "order_id", "x-unit"),
            "px",
            None,
            "minimum: 1}",
            "minimum: 1, x-unit: px}",
            id="in flow",
        ),
        pytest.param(
            ("data", "properties", "b"), True, None, "lines\n", "lines\n    b: true\n", id="behind a block scalar"
        ),
    ],
)
def test_inserting_adds_only_the_member(pointer, value, after, old, new):
    assert edits.insert(TEXT, pointer, value, after=after) == TEXT.replace(old, new, 1)


def test_inserting_a_block_writes_one_member_a_line():
    text = edits.insert("a: 1\n", ("upcast",), [{"rename": {"x": "y.z"}}, {"default": {"c": "no"}}], block=True)
    assert text == 'a: 1\nupcast:\n  - {rename: {x: y.z}}\n  - {default: {c: "no"}}\n'


@pytest.mark.parametrize(
    "pointer, old, new",
    [
        pytest.param(("status",), "status: 'active'\n", "", id="a line"),
        pytest.param(("producers", 0), "[orders-api, shop]", "[shop]", id="the first of a flow list"),
        pytest.param(("producers", 1), "[orders-api, shop]", "[orders-api]", id="the last of a flow list"),
        pytest.param(
            ("data", "properties", "note"), "    note: |\n      several\n      lines\n", "", id="a block scalar"
        ),
        pytest.param(("examples", 0), "  - order_id: 1\n    note: a\n", "", id="an item of a block list"),
        pytest.param(
            ("examples", 0, "order_id"), "order_id: 1\n    note: a", "note: a", id="the first member of an item"
        ),
        pytest.param(("data", "required", 0), "[order_id]", "[]", id="the only one of a list"),
    ],
)
def test_removing_takes_only_the_member(pointer, old, new):
    assert edits.remove(TEXT, pointer) == TEXT.replace(old, new, 1)


def test_windows_line_ends_survive():
    text = TEXT.replace("\n", "\r\n")
    assert edits.insert(text, ("b",), 1, after="urn").count("\r\n") == text.count("\r\n") + 1


@pytest.mark.parametrize("pointer", [("nope",), ("producers", 9), ("data", "type", "x")])
def test_what_is_not_there_cannot_be_replaced(pointer):
    with pytest.raises(edits.EditError, match="there is no value at"):
        edits.replace(TEXT, pointer, 1)


def test_a_key_that_is_there_cannot_be_inserted():
    with pytest.raises(edits.EditError, match="already exists"):
        edits.insert(TEXT, ("urn",), 1)


_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"]), max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)


@settings(max_examples=200, deadline=None)
@given(_VALUES)
def test_whatever_is_spelled_is_read_back_the_same(value):
    assert json.dumps(parser.read(f"key: {edits.spell(value)}\n")) == json.dumps({"key": value})


@settings(max_examples=150, deadline=None)
@given(_VALUES, st.data())
def test_replacing_any_value_changes_that_value_alone(value, data):
    document = parser.read(TEXT)
    pointers = [
        ("urn",),
        ("producers",),
        ("producers", 0),
        ("data",),
        ("data", "properties", "note"),
        ("examples", 1),
        ("last",),
    ]
    pointer = data.draw(st.sampled_from(pointers))
    expected = json.loads(json.dumps(document))
    here = expected
    for step in pointer[:-1]:
        here = here[step]
    here[pointer[-1]] = value
    changed = edits.replace(TEXT, pointer, value)
    assert json.dumps(parser.read(changed)) == json.dumps(expected)
    assert changed.startswith("# the file's own comment\n")


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda: edits.remove(TEXT, ()), id="remove the whole file"),
        pytest.param(lambda: edits.replace(TEXT, ("urn",), _nested(3000)), id="a value without end"),
    ],
)
def test_what_cannot_be_edited_is_said_so(change):
    with pytest.raises(edits.EditError):
        change()


def _nested(depth):
    value = []
    for _ in range(depth):
        value = [value]
    return value
