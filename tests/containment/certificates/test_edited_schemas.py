"""The prover alone, without a search: no document drawn from what an edit changes refutes what it proves."""

from __future__ import annotations

import importlib.util
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from proofs import is_subschema

from babelreg.containment.preconditions import obstacle
from babelreg.errors import SchemaError
from babelreg.schema.dialects import DIALECTS

_SPEC = importlib.util.spec_from_file_location("edited_schemas", Path(__file__).with_name("edited_schemas.py"))
assert _SPEC is not None
assert _SPEC.loader is not None
edits = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(edits)

STEPS = 20_000
BASES = 12
VARIED = 50


def pairs(chance: random.Random, number: int) -> Iterator[tuple[str, bool, Any, Any]]:
    """Yield dialect, whether formats are asserted, and two schemas that differ by an edit, in both orders."""
    for _ in range(number):
        draft, formats = chance.choice(edits.DRAFTS), chance.random() < 0.3
        old = edits.schema(chance, draft)
        new = edits.edited(chance, draft, old)
        if is_usable(old, draft) and is_usable(new, draft):
            yield draft, formats, old, new
            yield draft, formats, new, old


def is_usable(schema: Any, draft: str) -> bool:
    """True for a schema of the dialect whose references lead somewhere."""
    try:
        DIALECTS[draft].validator_for(schema)
    except SchemaError:
        return False
    return obstacle(schema) is None


def refuting(chance: random.Random, inner: Any, outer: Any, draft: str, formats: bool) -> list[Any]:
    """A document that ``inner`` allows and ``outer`` refuses, if one was found."""
    validators = [DIALECTS[draft].validator_for(schema, formats=formats) for schema in (inner, outer)]
    documents = edits.Documents(chance, inner, outer)
    allowed = [d for d in (documents.one(inner) for _ in range(BASES)) if validators[0].is_valid(d)]
    for _ in range(VARIED if allowed else 0):
        document = documents.varied(chance.choice(allowed))
        if validators[0].is_valid(document):
            allowed.append(document)
    return [document for document in allowed if not validators[1].is_valid(document)][:1]


def refuted_proofs(seed: int, number: int) -> list[tuple[Any, ...]]:
    chance = random.Random(seed)
    wrong: list[tuple[Any, ...]] = []
    for draft, formats, inner, outer in pairs(chance, number):
        if is_subschema(inner, outer, DIALECTS[draft], formats=formats, steps=STEPS):
            found = refuting(chance, inner, outer, draft, formats)
            wrong += [(draft, formats, inner, outer, document) for document in found]
    return wrong


def test_what_an_edit_changes_refutes_no_proof() -> None:
    assert refuted_proofs(seed=15, number=400) == []


def test_the_documents_refute_most_of_what_is_not_proved() -> None:
    chance = random.Random(3)
    open_pairs = [
        (inner, outer, draft, formats)
        for draft, formats, inner, outer in pairs(chance, 300)
        if not is_subschema(inner, outer, DIALECTS[draft], formats=formats, steps=STEPS)
    ]
    refuted = sum(bool(refuting(chance, *pair)) for pair in open_pairs)
    assert len(open_pairs) > 80
    assert refuted > 0.6 * len(open_pairs)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(200))
def test_the_same_five_hundred_times(seed: int) -> None:
    # Many short tests: each is a line of progress with -v, and a run that is stopped has said what it covered.
    assert refuted_proofs(seed=1_000 + seed, number=500) == []
