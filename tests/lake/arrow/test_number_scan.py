"""Many messages are searched together with the result of each alone."""

from __future__ import annotations

import random
import sys
import uuid
from pathlib import Path

import pytest

from babelreg.contract.exact_numbers import may_be_inexact
from babelreg.lake.arrow.number_scan import certainly_exact
from babelreg.lake.input.message_files import FileRange, FileSource
from babelreg.lake.message_source import MessageChunk, Origin

sys.path.insert(0, str(Path(__file__).parents[2] / "shared"))
from number_texts import BORDERS, number_text


def bodies(source: random.Random, count: int) -> list[bytes]:
    made = [f'{{"n":{text}}}' for text in BORDERS] + [f"[{text}]" for text in BORDERS] + list(BORDERS)
    for _ in range(count):
        numbers = [number_text(source) for _ in range(source.randint(0, 2))]
        texts = [f'"{uuid.UUID(int=source.getrandbits(128))}"', f'"{number_text(source)}"', '"2026/11/23 10:00:00.123"']
        members = [*numbers, *source.sample(texts, source.randint(0, 3))]
        source.shuffle(members)
        blank = source.choice(("", "", " ", "\n", "\t "))
        made.append("{" + ",".join(f'"{number}":{blank}{member}{blank}' for number, member in enumerate(members)) + "}")
    source.shuffle(made)
    return [body.encode() for body in made]


def test_what_is_certainly_exact_is_exact_alone() -> None:
    messages = bodies(random.Random(1), 8_000)
    exact = certainly_exact(messages)
    assert not [body for body, certain in zip(messages, exact, strict=True) if certain and may_be_inexact(body)]
    assert sum(exact) > len(messages) / 4


def test_shortest_doubles_and_identifiers_stay_on_the_fast_path() -> None:
    source = random.Random(2)
    made = (uuid.UUID(int=source.getrandbits(128)) for _ in range(5_000))
    messages = [
        f'{{"n":{source.uniform(0.1, 1)},"m":-{source.uniform(1, 1e9)},"id":"{10**18}","u":"{made_id}"}}'.encode()
        for made_id in made
    ]
    assert all(certainly_exact(messages))


def test_text_that_looks_like_a_number_keeps_others_on_the_fast_path() -> None:
    messages = [b'{"n":0.30000000000000004}', b'{"s":", 1234567.89012345.6, "}'] * 10
    assert certainly_exact(messages)[::2] == [True] * 10


def test_an_exponent_of_a_million_digits_takes_no_more_steps() -> None:
    inexact = b'{"n":1e-' + b"0" * 1_000_000 + b"400}"
    assert certainly_exact([b"{}", inexact] * 4) == [True, False] * 4


def test_few_messages_and_large_ones_are_searched_too() -> None:
    inexact, large = b'{"n":12345678901234567.89}', b'{"s":"' + b"x" * 300_000 + b'","n":1.5}'
    assert certainly_exact([]) == []
    assert not any(certainly_exact([inexact]))
    assert certainly_exact([large, inexact] * 8) == [True, False] * 8


def chunks(folder: Path, text: bytes, origin: Origin | None = None) -> list[MessageChunk]:
    (folder / "in.jsonl").write_bytes(text)
    part = FileRange("in.jsonl", 0, len(text), len(text), origin=origin)
    return list(FileSource(str(folder), (part,), 1).chunks((part,)))


@pytest.mark.parametrize("end", [b"", b"\n", b"\n\n"])
def test_lines_are_searched_before_they_are_cut(tmp_path: Path, end: bytes) -> None:
    source = random.Random(3)
    numbers = ("1.5", "0.1000000000000000055", "1e-400", "0.30000000000000004")
    lines = [f'{{"n":{source.choice(numbers)}}}' for _ in range(20_000)]
    lines = [source.choice(("", " ", "\t")) if source.random() < 0.01 else line for line in lines]
    found = chunks(tmp_path, "\n".join(lines).encode() + end)
    pairs = [pair for chunk in found for pair in zip(chunk.bodies, chunk.exact or (), strict=True)]
    assert [body.decode() for body, _ in pairs] == [line for line in lines if line.strip()]
    assert all(exact is not may_be_inexact(body) for body, exact in pairs)


def test_foreign_lines_of_json_are_searched_together(tmp_path: Path) -> None:
    origin = Origin("strata", "f", 0, "modified")
    lines = b'{"n":0.1000000000000000055}\n{"n":0.5}\n'
    assert [chunk.exact for chunk in chunks(tmp_path, lines, origin)] == [[False, True]]


@pytest.mark.parametrize(
    "number, fits",
    [
        pytest.param(2**63 - 1, True, id="the greatest of 64 bits"),
        pytest.param(-(2**63), True, id="the least"),
        pytest.param(2**63, False, id="one that orjson reads and no BIGINT holds"),
        pytest.param(2**64 - 1, False, id="the greatest without a sign"),
    ],
)
def test_integers_beyond_a_bigint_are_not_certain(number: int, fits: bool) -> None:
    bodies = [b'{"n":%d}' % number] + [b'{"n":1234567890123456}'] * 10
    assert certainly_exact(bodies) == [fits] + [True] * 10


def test_an_integer_of_more_digits_than_python_reads_is_not_certain() -> None:
    assert certainly_exact([b'{"n":' + b"9" * 5_000 + b"}", *[b"{}"] * 10]) == [False] + [True] * 10
