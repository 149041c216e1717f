"""A sum in the header tells whether a file is what would be made again."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from babelreg.gen.seal import is_sealed, sealed
from babelreg.gen.target import header

PATH = "messages/orders_created.py"
LINE = header("python", "orders/created.yaml", {"a": 1})
TEXT = f'"""What it is."""\n# {LINE}\n\na = 1\n'


def test_what_was_sealed_holds() -> None:
    content = sealed(PATH, TEXT, LINE).encode()
    assert content != TEXT.encode()
    assert len(content) == len(TEXT)
    assert is_sealed(PATH, content, LINE)


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(sealed(PATH, TEXT, LINE).replace("a = 1", "a = 2"), id="a value was changed"),
        pytest.param(sealed(PATH, TEXT, LINE) + "\n", id="a line was added"),
        pytest.param(sealed(PATH, TEXT, LINE).replace("\n", "\r\n"), id="line ends were changed"),
        pytest.param(sealed(PATH, TEXT, LINE)[:-1], id="the end was cut off"),
        pytest.param(TEXT, id="it was never sealed"),
        pytest.param("", id="it is empty"),
        pytest.param(sealed(PATH, TEXT, LINE)[: TEXT.index("sum") + 6], id="it ends within the sum"),
        pytest.param(sealed(PATH, TEXT, LINE).replace("0.", "9.", 1), id="another version wrote it"),
    ],
)
def test_what_was_touched_does_not(content: str) -> None:
    assert not is_sealed(PATH, content.encode(), LINE)


def test_what_was_made_from_other_inputs_does_not() -> None:
    other = header("python", "orders/created.yaml", {"a": 2})
    assert not is_sealed(PATH, sealed(PATH, TEXT, LINE).encode(), other)
    assert not is_sealed(PATH, sealed(PATH, TEXT.replace(LINE, other), other).encode(), LINE)


def test_what_was_made_for_another_place_does_not() -> None:
    content = sealed(PATH, TEXT, LINE).encode()
    assert not is_sealed("messages/orders_created.sql", content, LINE)


@pytest.mark.parametrize(
    "source",
    [
        pytest.param("orders/(sum 0123456789abcdef).yaml", id="like a sum"),
        pytest.param("orders/a\n__import__('os').yaml", id="with a line end"),
        pytest.param("orders/\u2028\u202e.yaml", id="with characters that break or turn lines"),
        pytest.param("orders/\udc80.yaml", id="that is no text"),
    ],
)
def test_a_file_of_any_name_can_be_sealed(source: str) -> None:
    line = header("python", source, 1)
    assert [more[:7] for more in line.splitlines()[1:]] in ([], ["# renew"])
    assert is_sealed(PATH, sealed(PATH, f"# {line}\n", line).encode(), line)


@given(st.text(st.characters(exclude_categories=["Cs"])), st.text(max_size=5), st.integers(0))
def test_no_edit_of_a_sealed_text_holds(body: str, put: str, at: int) -> None:
    content = sealed(PATH, f"# {LINE}\n{body}", LINE)
    at %= len(content) + 1
    edited = content[:at] + put + content[at + len(put) :]
    assume(edited != content)
    assert not is_sealed(PATH, edited.encode("utf-8", "surrogatepass"), LINE)


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text_with_a_header_holds(body: str) -> None:
    assert is_sealed(PATH, sealed(PATH, f"{LINE}{body}", LINE).encode(), LINE)
