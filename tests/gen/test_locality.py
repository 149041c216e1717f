"""One more field changes few lines of its message's files, and no other file."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from difflib import ndiff
from typing import Any

import hostile
import sane_schemas as sane
from each import each
from examples import fewer
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from babelreg.gen.targets import TARGETS
from babelreg.gen.targets.python.literals import source
from babelreg.model import Registry

MOST_LINES = 15
# In PHP a property has four methods, and a class without required properties a constructor without parameters.
MOST_LINES_OF = {"php": 25}


ADDED: list[dict[str, Any]] = [
    {"type": "string", "description": "What was added."},
    {"type": ["integer", "null"]},
    {"enum": ["a", "b"]},
    {"type": "array", "items": {"type": "number"}},
    {"$ref": "#/$defs/money"},
]


def registry(schema: Mapping[str, Any]) -> Registry:
    """The message with that schema, between two others."""
    other = {"type": "object", "properties": {"a": {"type": "string"}}}
    found: Registry = hostile.registry({"one": ("x", other), "changed": ("x", schema), "two": ("x", other)})
    return found


def objects(node: Any) -> Iterator[dict[str, Any]]:
    """Every ``properties`` of a schema that has some."""
    if isinstance(node, list):
        for one in node:
            yield from objects(one)
    if isinstance(node, dict):
        if isinstance(node.get("properties"), dict) and node["properties"]:
            yield node["properties"]
        for key, value in node.items():
            if key not in ("enum", "const"):
                yield from objects(value)


def put(properties: dict[str, Any], name: str, schema: Any, at: int) -> None:
    """Add a property, behind ``at`` others."""
    items = list(properties.items())
    items.insert(at % (len(items) + 1), (name, schema))
    properties.clear()
    properties.update(items)


def changed(target: str, before: Any, after: Any, options: dict[str, Any]) -> dict[str, int]:
    """``{path: lines}`` of the files that differ; a line that became another counts twice."""
    old, new = (
        {
            file.path: file.text
            for file in TARGETS[target].files(registry(schema), options)
            if "_babelreg" not in file.path
        }
        for schema in (before, after)
    )
    assert old.keys() == new.keys()
    return {
        path: sum(line[0] in "+-" for line in ndiff(old[path].splitlines(), new[path].splitlines(), None, None))
        for path in new
        if old[path] != new[path]
    }


@settings(max_examples=fewer(5, 8), deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data(), st.sampled_from(["pydantic", "typeddict"]))
def test_one_more_field_changes_few_lines(data: st.DataObject, models: str) -> None:
    before = data.draw(sane.schemas(), label="schema")
    after = copy.deepcopy(before)
    places = list(objects(after))
    assume(places)
    put(
        data.draw(st.sampled_from(places)),
        "added_field",
        data.draw(st.sampled_from(ADDED[:4])),
        data.draw(st.integers(0, 9)),
    )
    assume(all("added_field" not in one for one in objects(before)))
    made = {file.path: file.text for file in TARGETS["python"].files(registry(after), {"models": models})}
    # A schema that refers to itself through allOf is spelled anew at each turn, down to a depth.
    assume(made["messages/hostile_case1.py"].count("added_field") <= 1)
    lines = changed("python", before, after, {"models": models})
    assert lines.keys() <= {"messages/hostile_case1.py", "messages/_schemas/hostile_case1.py"}
    assert sum(lines.values()) <= MOST_LINES, lines


OF_ALL_MESSAGES = {"asyncapi.json", "NOT-ENFORCED.md", "catalog.json", "index.html"}


@each("target", TARGETS)
@each("required", [False, True], ids=["that may be absent", "that is required"])
@each("many", [1, 3, 8, 40], ids=lambda many: f"beside {many}")
def test_one_more_field(target: str, many: int, required: bool) -> None:
    names = [f"field_{n}" for n in range(many)]
    money = {"type": "object", "properties": {"minor": {"type": "integer"}}, "description": "Money."}
    inner: dict[str, Any] = {"type": "object", "properties": {name: {"type": "string"} for name in names}}
    before: dict[str, Any] = {
        "type": "object",
        "required": names,
        "properties": {**{name: {"type": "string", "description": "It."} for name in names}, "inner": inner, "paid": {"$ref": "#/$defs/money"}},
        "$defs": {"money": money},
    }  # fmt: skip
    cases = [(True, ADDED[0]), (False, ADDED[0]), (True, ADDED[4])]
    # Columns know no names for types: a field that is an object is told in full, and twice.
    for outer, added in cases[: 2 if target == "spark" else 3]:
        after = copy.deepcopy(before)
        where = after if outer else after["properties"]["inner"]
        put(where["properties"], "added_field", added, many // 2)
        if required:
            where.setdefault("required", []).insert(many // 2, "added_field")
        lines = changed(target, before, after, {})
        assert all("case1" in path.lower() or path in OF_ALL_MESSAGES for path in lines)
        assert max(lines.values(), default=0) <= MOST_LINES_OF.get(target, MOST_LINES), lines


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=30),
    lambda below: (
        st.lists(below, max_size=5)
        | st.dictionaries(st.sampled_from(["properties", "required", "$defs", "type", "x" * 40]), below, max_size=5)
    ),
    max_leaves=30,
)


@given(_VALUES, st.integers(0, 60))
def test_a_value_is_laid_out_as_itself(value: Any, used: int) -> None:
    text = source(value, 0, used)
    assert eval(text, {"__builtins__": {}}) == value
    assert all(line == line.rstrip() for line in text.splitlines())
