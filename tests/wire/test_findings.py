"""Findings about the messages of a file: place, code, offset and hex view."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from babelreg.finding import Severity
from babelreg.wire.findings import error_finding, frame_place, hex_view, loss_finding, message_finding
from babelreg.wire.format import Diagnostic, Frame, WireError

TEXT = Frame({}, b"{}", 20, 3)
BINARY = Frame({}, b"H", 20)


@pytest.mark.parametrize(
    "err, place, offset",
    [
        pytest.param(WireError("c", "d", offset=4, raw=b"0123456", line=1), "f:1:5", 4, id="a column"),
        pytest.param(WireError("c", "d", offset=25, start=20, raw="éé{\n,,".encode(), line=2), "f:2:4", 25, id="characters"),
        pytest.param(WireError("c", "d", offset=27, start=20, raw="éé{\n,,".encode(), line=2), "f:3:2", 27, id="a line below"),
        pytest.param(WireError("c", "d", line=7), "f:7:1", None, id="no offset"),
        pytest.param(WireError("c", "d", offset=4, raw=b"H010"), "f", 4, id="binary"),
    ],
)  # fmt: skip
def test_an_error_has_its_place(err: WireError, place: str, offset: int | None) -> None:
    finding = error_finding(err, "f")
    assert (str(finding.place), finding.offset, finding.code, finding.rule) == (place, offset, "c", "c")
    assert finding.message == ("byte 4: d" if place == "f" else "d")
    assert bool(finding.excerpt) == (place == "f")


def test_a_defect_names_an_unknown_member() -> None:
    named = message_finding(Diagnostic("c", "/payload/ok", "payload.ok is missing"), TEXT, "f")
    other = message_finding(
        Diagnostic("unknown_member", "/scope", "an undocumented member", Severity.WARNING), BINARY, "f", "urn:a"
    )
    assert (str(named.place), named.message, named.offset) == ("f:3:1", "payload.ok is missing", 20)
    assert (str(other.place), other.message, other.urn) == ("f", "byte 20: an undocumented member: /scope", "urn:a")


def test_a_loss_names_what_is_lost() -> None:
    assert loss_finding(Diagnostic("c", "/auth", "a secret"), TEXT, "f").message == "/auth is lost: a secret"
    assert loss_finding(Diagnostic("c", "", "no payload"), BINARY, "f").message == "byte 20: no payload"


def test_a_frame_has_a_line_or_stands_for_its_file() -> None:
    assert (str(frame_place(TEXT, "f")), str(frame_place(BINARY, "f"))) == ("f:3:1", "f")


def test_the_wrong_byte_is_marked() -> None:
    assert hex_view(b"H0100103\nP01", 0, 8) == (
        "00000000  48 30 31 30 30 31 30 33 0a 50 30 31              |H0100103.P01|",
        "                                  ^^",
    )


def test_content_is_hidden() -> None:
    view = "\n".join(hex_view(b'{"auth":"S3CRET"}xH01', 4096, 4113))
    assert view == (
        '00001000  7b 22 ** ** ** ** 22 3a 22 ** ** ** ** ** ** 22  |{"****":"******"|\n'
        "00001010  7d 78 48 30 31                                   |}xH01|\n"
        "             ^^"
    )


@pytest.mark.parametrize(
    "raw, at",
    [
        pytest.param(b'{"card":"4539148803436467","dob":"1984-02-03"}X02', 46, id="before the wrong byte"),
        pytest.param(b"P02" + b"17".rjust(29) + b"4539148803436467 X02", 49, id="right after a header"),
        pytest.param(b"P02" + b"17".rjust(29, b"0") + b"4539148803436467 X02", 49, id="right after zeros"),
        pytest.param(b'{"a":45x39148803436467}', 7, id="around the wrong byte"),
    ],
)
def test_digits_of_content_are_hidden(raw: bytes, at: int) -> None:
    view = "".join(hex_view(raw, 0, at))
    assert not any(digits in view for digits in ("4539", "9148", "6467", "1984", "34 35", "36 34", "31 39"))


def test_rows_of_content_alone_are_left_out() -> None:
    assert len(hex_view(b"H0100103" + b"x" * 60, 0, 8)) == 2
    assert hex_view(b"x" * 60, 0, 59) == (
        "00000030  ** ** ** ** ** ** ** ** ** ** ** 78              |***********x|",
        "                                           ^^",
    )


@given(st.binary(max_size=80), st.integers(0, 100), st.integers(0, 100))
def test_a_view_is_small_and_shows_no_letters(raw: bytes, start: int, at: int) -> None:
    rows = hex_view(raw, start, start + min(at, len(raw)))
    assert len(rows) <= 4
    wrong = raw[min(at, len(raw)) :][:1]
    for row in rows:
        shown = {letter for letter in row[60:].rstrip("|") if letter.isalpha()}
        assert shown <= {"H", "P", wrong.decode("latin-1")}
