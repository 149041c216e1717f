"""A generated block in a file that belongs to the user."""

from __future__ import annotations

import pytest

from babelreg.errors import UsageError
from babelreg.gen.block import with_block

BLOCK = "# BEGIN babelreg: one\na b\n# END babelreg.\n"
OLD = b"# BEGIN babelreg: zero\nx y\nz\n# END babelreg.\n"


@pytest.mark.parametrize(
    "old, expected",
    [
        pytest.param(b"", BLOCK.encode(), id="no file yet"),
        pytest.param(b"* me\n", b"* me\n\n" + BLOCK.encode(), id="other lines"),
        pytest.param(b"* me", b"* me\n\n" + BLOCK.encode(), id="a last line without an end"),
        pytest.param(b"* me\n\n", b"* me\n\n" + BLOCK.encode(), id="an empty line at the end"),
        pytest.param(b"* me\n" + OLD + b"last\n", b"* me\n" + BLOCK.encode() + b"last\n", id="an earlier block"),
        pytest.param(b"* me\r\n", b"* me\r\n\r\n" + BLOCK.replace("\n", "\r\n").encode(), id="line ends of Windows"),
        pytest.param(b"# \xff\n" + OLD, b"# \xff\n" + BLOCK.encode(), id="bytes that are not UTF-8"),
    ],
)
def test_only_the_block_changes(old, expected):
    assert with_block("CODEOWNERS", old, BLOCK) == expected
    assert with_block("CODEOWNERS", expected, BLOCK) == expected


@pytest.mark.parametrize(
    "old, line",
    [
        pytest.param(b"a\n# BEGIN babelreg\nb\n", 2, id="no end"),
        pytest.param(b"a\n# END babelreg\nb\n", 2, id="no beginning"),
        pytest.param(b"# END babelreg\n# BEGIN babelreg\n", 2, id="the end first"),
        pytest.param(OLD + OLD, 5, id="two blocks"),
    ],
)
def test_markers_that_enclose_no_block_are_refused_with_their_line(old, line):
    with pytest.raises(UsageError) as caught:
        with_block("CODEOWNERS", old, BLOCK)
    assert (caught.value.place.path, caught.value.place.line) == ("CODEOWNERS", line)
