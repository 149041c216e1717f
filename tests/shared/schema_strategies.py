"""Random schemas of each dialect, and documents to judge by them."""

from __future__ import annotations

from hypothesis import strategies as st

NAMES = st.sampled_from(["a", "b", "c"])
SCALARS = st.sampled_from([None, True, 0, 1, 1.5, "", "a", "ab"])
VALUES = st.recursive(
    SCALARS,
    lambda below: st.one_of(st.lists(below, max_size=3), st.dictionaries(NAMES, below, max_size=3)),
    max_leaves=6,
)
TYPES = st.sampled_from(["null", "boolean", "number", "string", "array", "object"])


def schemas_of(dialect: str, references=("#/definitions/a", "#/definitions/b")) -> st.SearchStrategy:
    """Schemas of ``dialect`` with ``references``, mixed with keywords that it does not know."""

    def holding(below):
        by_name = st.dictionaries(NAMES, below, max_size=2)
        listed = st.lists(below, min_size=1, max_size=2)
        names = st.lists(NAMES, min_size=1, max_size=2, unique=True)
        exclusive = st.booleans() if dialect == "draft4" else st.integers(0, 1)
        keywords = {
            "type": TYPES,
            "enum": st.lists(VALUES, min_size=1, max_size=3, unique_by=repr),
            "minimum": st.integers(0, 1),
            "exclusiveMinimum": exclusive,
            "maxItems": st.integers(0, 2),
            "required": names,
            "properties": by_name,
            "additionalProperties": below if dialect == "draft4" else st.one_of(below, st.booleans()),
            "additionalItems": st.one_of(below, st.booleans()),
            "not": below,
            "anyOf": listed,
            "oneOf": listed,
            "$ref": st.sampled_from(references),
            "if": below,
            "then": below,
            "else": below,
            "const": VALUES,
            "contains": below,
            "propertyNames": st.just({"enum": ["a", "b"]}),
            "dependentRequired": st.dictionaries(NAMES, names, max_size=2),
            "items": below,
        }
        if dialect != "draft2020-12":
            keywords["items"] = st.one_of(below, listed)
        if dialect != "draft2019-09":
            keywords["dependencies"] = st.dictionaries(NAMES, st.one_of(below, names), max_size=2)
        drawn = st.fixed_dictionaries({}, optional=keywords)
        # draft-04 has an exclusive limit only beside the limit
        return drawn.map(lambda schema: {"minimum": 0, **schema} if dialect == "draft4" else schema)

    return st.recursive(st.fixed_dictionaries({}, optional={"type": TYPES}), holding, max_leaves=6)
