"""What was read ahead is what would have been read; the one that reads never waits for it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from babelreg.lint.parallel import prefetch
from babelreg.lint.parallel.prefetch import ReadAhead, messages_of
from babelreg.load.files.defect import Defect
from babelreg.load.files.tree import Memory
from babelreg.load.yaml import parser

TEXTS = [f"urn: urn:babel:orders:m{n}\ndata: {{a: {n}, b: [true, null, 1.5, ü, {2**70}]}}\n" for n in range(20)]
BROKEN = ["a: &x 1\n", "a: [\n", "a: 1\na: 2\n"]


def tree(texts: list[str]) -> Memory:
    files = {"babelreg.yaml": b"version: 1\n", "orders/_context.yaml": b"owner: me\n"}
    return Memory(files | {f"orders/m{n:03}.yaml": text.encode() for n, text in enumerate(texts)})


@pytest.fixture
def ahead(request: pytest.FixtureRequest) -> Iterator[ReadAhead]:
    made = ReadAhead(tree(getattr(request, "param", TEXTS)))
    yield made
    made.close()


@pytest.fixture
def read_anew(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that were not taken from what was read ahead."""
    found: list[str] = []
    real = parser.read
    monkeypatch.setattr(prefetch.parser, "read", lambda text: found.append(text) or real(text))
    return found


def test_what_was_read_ahead_is_not_read_again(ahead: ReadAhead, read_anew: list[str]) -> None:
    while ahead.step():
        pass
    read_anew.clear()
    values = [ahead.read(f"orders/m{n:03}.yaml", text) for n, text in enumerate(TEXTS)]
    assert values == [parser.read(text) for text in TEXTS]
    assert read_anew[0] == TEXTS[0]  # the two have met there
    assert read_anew.count(TEXTS[5]) == 1  # by this test alone


def test_they_meet_in_the_middle(ahead: ReadAhead, read_anew: list[str]) -> None:
    for n in range(8):
        ahead.read(f"orders/m{n:03}.yaml", TEXTS[n])
    steps = 0
    while ahead.step():
        steps += 1
    assert steps == len(TEXTS) - 8


@pytest.mark.parametrize(
    "path, text",
    [
        pytest.param("orders/m009.yaml", TEXTS[9] + "owner: me\n", id="it was changed meanwhile"),
        pytest.param("orders/m999.yaml", TEXTS[9], id="there was no such file"),
        pytest.param("babelreg.yaml", "version: 1\n", id="it is no message"),
    ],
)
def test_another_text_is_read_anew(path: str, text: str, ahead: ReadAhead) -> None:
    while ahead.step():
        pass
    assert ahead.read(path, text) == parser.read(text)


@pytest.mark.parametrize("ahead", [BROKEN + TEXTS + BROKEN], indirect=True)
def test_what_is_broken_is_told_by_the_one_that_reads(ahead: ReadAhead) -> None:
    while ahead.step():
        pass
    for text in BROKEN:
        with pytest.raises(Defect):
            ahead.read("orders/m001.yaml", text)
    assert ahead.read("orders/m004.yaml", TEXTS[1]) == parser.read(TEXTS[1])


def test_it_takes_no_more_memory_than_it_may(ahead: ReadAhead, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prefetch, "MAX_BYTES", 300)
    steps = 0
    while ahead.step():
        steps += 1
    assert 1 <= steps < 10


def test_only_messages_are_read_ahead() -> None:
    paths = ["babelreg.yaml", "orders/_context.yaml", "orders/a.yaml", "orders/_b.yaml", "orders/a.jsonl"]
    paths += ["_common/money.yaml", "_services/x.yaml", "ci/job.yaml", "orders/deep/c.yaml"]
    assert messages_of(paths) == ["orders/a.yaml"]
