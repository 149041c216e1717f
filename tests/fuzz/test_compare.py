"""Compare on schemas that nobody sane writes: it answers in a bounded number of steps, a witness holds, and nothing offered contradicts."""

from __future__ import annotations

import json
import random
from typing import Any

import jsonschema_rs
import pytest
from fuzzing import mutate, values
from hang import limited
from steps import TooManySteps, steps

from babelreg.containment import compare
from babelreg.containment.preconditions import obstacle
from babelreg.contract import views
from babelreg.errors import SchemaError
from babelreg.lint.schema.metaschema import schema_faults
from babelreg.schema.dialects import identify

CPU_SECONDS = 60.0
MOST_STEPS = 15_000_000
"""Of comparing two schemas; the most that a case of these was seen to take is 4 million."""
TEXTS = [text for text in values.TEXTS if text.isascii() or text == text.encode("utf-8", "replace").decode()]


def pair(chance: random.Random) -> tuple[Any, Any]:
    """Two schemas: one changed from the other, most of the time by a little, and most of the time valid."""
    if chance.random() < 0.2:
        return _any_pair(chance)
    return next(drawn for drawn in iter(lambda: _any_pair(chance), None) if all(map(_usable, drawn)))


def _usable(schema: Any) -> bool:
    try:
        return not schema_faults(schema) and obstacle(schema) is None
    except ValueError:  # an unpaired surrogate, which no file holds
        return False


def _any_pair(chance: random.Random) -> tuple[Any, Any]:
    old = values.schema(chance)
    if isinstance(old, dict) and chance.random() < 0.7:
        old["type"] = "object"
        old["properties"] = {name: values.schema(chance, 2) for name in chance.sample(values.NAMES, 3)}
    new = mutate.changed_value(chance, old) if chance.random() < 0.8 else values.schema(chance)
    if chance.random() < 0.3:
        new = mutate.changed_value(chance, new)
    return old, new


def document(chance: random.Random, depth: int = 0) -> Any:
    if depth > 2 or chance.random() < 0.3:
        return chance.choice([*TEXTS, *values.NUMBERS, None, True, False, [], {}])
    if chance.random() < 0.8:
        names = chance.sample(values.NAMES, chance.randint(0, 4))
        return {name: document(chance, depth + 1) for name in names}
    return [document(chance, depth + 1) for _ in range(chance.randint(0, 3))]


def contradictions(seed: int) -> list[str]:
    chance = random.Random(seed)
    old, new = pair(chance)
    reader: Any = chance.choice(["tolerant", "strict"])
    formats: Any = chance.choice(["ignored", "asserted"])
    wrong: list[str] = []
    try:
        with limited(CPU_SECONDS):
            steps(lambda: compare(old, new, reader=reader, formats=formats), most=MOST_STEPS)
    except TooManySteps as err:
        wrong.append(f"case {seed} takes {err}")
    found = compare(old, new, reader=reader, formats=formats)
    if compare(old, new, reader=reader, formats=formats) != found:
        wrong.append(f"case {seed}: a second run differs")
    json.dumps(found.as_json()).encode()
    for name, verdict, inner, outer in (("backward", found.backward, old, new), ("forward", found.forward, new, old)):
        if verdict.kind == "unknown":
            continue
        try:
            sent, taken = _judges(inner, outer, reader, formats)
        except (SchemaError, ValueError):
            if verdict.kind == "breaking" or inner != outer:
                wrong += [f"case {seed}: {name} is {verdict.kind} of schemas that cannot be used"] * _differ(
                    inner, outer
                )
            continue
        if verdict.kind == "breaking" and not (sent(verdict.witness) and not taken(verdict.witness)):
            wrong.append(f"case {seed}: the {name} witness does not hold")
        if verdict.kind == "compatible":
            offered = (document(chance) for _ in range(300))
            refuted = next((d for d in offered if sent(d) and not taken(d)), None)
            wrong += (
                [f"case {seed}: {name} is compatible, but see {json.dumps(refuted)}"] if refuted is not None else []
            )
    return wrong


def _judges(inner: Any, outer: Any, reader: str, formats: str) -> tuple[Any, Any]:
    dialect = identify(inner)
    sides = (views.both(inner, reader, dialect).producer, views.both(outer, reader, dialect).reader)
    return tuple(dialect.validator_for(view, formats=formats == "asserted").is_valid for view in sides)  # type: ignore[return-value]


def _differ(inner: Any, outer: Any) -> int:
    """Equal but for annotations is compatible, whatever it is."""
    from babelreg.schema.simplify import without_annotations
    from babelreg.schema.values import identical

    return int(not identical(*(without_annotations(schema, formats=False) for schema in (inner, outer))))


def test_compare_answers_in_few_steps_and_never_against_the_evidence() -> None:
    assert [wrong for seed in range(25) for wrong in contradictions(seed)] == []


@pytest.mark.long
@pytest.mark.parametrize("start", range(1000, 11_000, 1000))
def test_ten_thousand_pairs(start: int) -> None:
    assert [wrong for seed in range(start, start + 1000) for wrong in contradictions(seed)] == []


def test_the_same_validator_judges_the_witnesses() -> None:
    """So that the test above cannot pass because nothing is ever decided."""
    kinds = {compare(*pair(random.Random(seed))).backward.kind for seed in range(120)}
    assert kinds == {"compatible", "breaking", "unknown"}
    assert jsonschema_rs.is_valid({"type": "object"}, {})
