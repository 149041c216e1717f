"""0 false accepts and 0 false rejects of the Arrow pass, against labels that are known by construction.

Where Python's ``jsonschema`` judges otherwise, each class of values is listed with the text of the standard that decides:
``shared/label_disagreements.py``. ``benchmarks/spark_labels.py`` prints the figures.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from babelreg.lake.tasks.row_validator import RefusedRow
from babelreg.lake.tasks.validation_spec import ValidationSpec

sys.path.insert(0, str(Path(__file__).parents[1] / "lake" / "shared"))
import label_disagreements
import labels


def _misjudged(documents: Iterable[labels.Labelled]) -> list[tuple[str, str, bool, str]]:
    """(rule, class, label, what was said) of every document whose verdict is not its label, or for another reason."""
    validator = ValidationSpec.of(labels.SCHEMAS, labels.URNS_STRICT).row_validator()
    found = []
    for one in documents:
        row = validator.validate(one.body)
        said = f"{row.reason} {row.pointer}" if isinstance(row, RefusedRow) else "accepted"
        right = said == "accepted" if one.valid else f" /data/{one.rule}" in said
        if not right:
            found.append((one.rule, one.how, one.valid, said))
    return found


def test_no_false_accept_and_no_false_reject() -> None:
    assert _misjudged(labels.documents(2_500, seed=2)) == []


@pytest.mark.long
def test_no_false_accept_and_no_false_reject_of_100_000() -> None:
    documents = list(labels.documents(100_000))
    assert len({json.dumps(one.data, sort_keys=True) for one in documents}) == 100_000
    assert _misjudged(documents) == []


def test_every_class_has_both_labels_beside_it() -> None:
    """A rule with good values only would let a spec pass who says yes to everything."""
    rules: dict[str, set[bool]] = {}
    for rule, _, valid, _, _ in labels.classes():
        rules.setdefault(rule, set()).add(valid)
    assert {rule for rule, found in rules.items() if len(found) < 2} == {"minContains-0", "not-there"}


def test_where_jsonschema_judges_otherwise_is_listed_and_decided() -> None:
    found = set(label_disagreements.disagreeing(25))
    assert found - label_disagreements.DECIDED.keys() == set()
    assert len(found) > 15
