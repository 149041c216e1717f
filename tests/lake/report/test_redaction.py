"""What a text looks like, and none of what it says."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from babelreg.lake.report.redaction import head, identifier, shape, shown_id, shown_urn


@pytest.mark.parametrize(
    "text, shown",
    [
        pytest.param("Anna.B+1@example.org", "Xxxx.X+9@xxxxxxx.xxx", id="an address"),
        pytest.param("2026-13-45T10:00", "9999-99-99X99:99", id="a wrong date"),
        pytest.param("Zürich Ω Ⅷ ٣", "Xxxxxx X 9 9", id="letters and digits of other scripts"),
        pytest.param("a\u202eb\u0000\n", "x·x··", id="signs that reorder and controls"),
        pytest.param("y" * 70, "x" * 64 + "…", id="a long one is cut"),
    ],
)
def test_a_text_is_shown_by_its_shape(text: str, shown: str) -> None:
    assert shape(text) == shown


@given(st.text(max_size=100))
def test_no_letter_or_digit_of_a_text_is_in_its_shape(text: str) -> None:
    assert set(shape(text)) <= {"x", "X", "9", "·", "…", *(chr(n) for n in range(32, 127) if not chr(n).isalnum())}


@given(st.binary(max_size=600))
def test_no_letter_or_digit_of_bytes_is_in_their_head_but_words_of_json_and_one_odd_byte(body: bytes) -> None:
    lines = head(body)
    assert len(lines) <= 2
    for line in lines:
        for word in ("true", "false", "null", "NaN", "Infinity", "⟨BOM⟩"):
            line = line.replace(word, "")
        assert len([c for c in line if c.isalnum() and c not in "xX9"]) <= 2


@pytest.mark.parametrize(
    "body, lines",
    [
        pytest.param(b'{"id": NaN, "on": tru', ['{"xx": NaN, "xx": xxx'], id="cut off in a word"),
        pytest.param(b"\xef\xbb\xbf{}", ["⟨BOM⟩{}"], id="a byte order mark"),
        pytest.param(
            "J\xe9r\xf4me".encode("latin-1"), ["X⟨e9⟩x⟨··⟩xx"], id="another encoding is told by its first byte"
        ),
        pytest.param(b"a" * 500, ["x" * 240 + "…", "…" + "x" * 80], id="beginning and end of a long one"),
        pytest.param(b"", [""], id="nothing at all"),
    ],
)
def test_bytes_are_shown_by_their_beginning_and_end(body: bytes, lines: list[str]) -> None:
    assert head(body) == lines


@pytest.mark.parametrize(
    "text, shown",
    [
        pytest.param("urn:babel:orders:created.v2", "urn:babel:orders:created.v2", id="a name stays"),
        pytest.param("urn:babel:orders:1042", "urn:babel:orders:…", id="a number goes"),
        pytest.param("urn:babel:orders:f1e2d3c4-b5a6-4789-90ab-cdef01234567", "urn:babel:orders:…", id="an id goes"),
        pytest.param("urn:babel:orders:anna@example.org", "xxx:xxxxx:xxxxxx:xxxx@xxxxxxx.xxx", id="no URN is a shape"),
    ],
)
def test_a_urn_is_shown_without_what_tells_one_thing_from_others(text: str, shown: str) -> None:
    assert shown_urn(text) == shown


@pytest.mark.parametrize(
    "text, shown",
    [
        pytest.param("f1e2d3c4-b5a6-4789-90ab-cdef01234567", "f1e2d3c4-b5a6-4789-90ab-cdef01234567", id="a UUID"),
        pytest.param("01ARZ3NDEKTSV4RRFFQ69G5FAV", "01ARZ3NDEKTSV4RRFFQ69G5FAV", id="a ULID"),
        pytest.param("anna@example.org", "xxxx@xxxxxxx.xxx", id="anything else"),
        pytest.param(None, None, id="none"),
    ],
)
def test_an_id_is_shown_where_it_is_one(text: str | None, shown: str | None) -> None:
    assert shown_id(text) == shown


@pytest.mark.parametrize("name, is_one", [("order_id", True), ("line1", True), ("u123456", False), ("a@b.c", False)])
def test_a_name_of_a_field_is_told_from_a_key(name: str, is_one: bool) -> None:
    assert identifier(name) is is_one
