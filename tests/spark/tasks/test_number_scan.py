"""Many messages are searched together with the result of each alone."""

from __future__ import annotations

import random
import sys
import uuid
from pathlib import Path

from babelreg.contract.exact_numbers import may_be_inexact
from babelreg.spark.tasks.number_scan import certainly_exact

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
    messages = [b'{"n":%r,"m":-%r,"id":"%d"}' % (source.random(), source.random(), 10**18) for _ in range(500)]
    assert all(certainly_exact(messages))


def test_few_messages_and_large_ones_are_searched_too() -> None:
    inexact, large = b'{"n":12345678901234567.89}', b'{"s":"' + b"x" * 300_000 + b'","n":1.5}'
    assert certainly_exact([]) == []
    assert not any(certainly_exact([inexact]))
    assert certainly_exact([large, inexact] * 8) == [True, False] * 8
