"""Hypothesis strategies: schemas as people write them, and documents that satisfy them most of the time."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

NAMES = ["id", "name", "class", "a-b", "a_b", "Money", "int", "copy", "model_dump", "ﬁ", "fi", "2nd", "", "_x", 'q"\n']
PLAIN_NAMES = [name for name in NAMES if name != 'q"\n']  # what a JSON text holds without escapes
DEFINITIONS = ["money", "node", "OneOf"]

_SCALARS: list[dict[str, Any]] = [
    {"type": "string"}, {"type": "string", "format": "date-time"}, {"type": "string", "format": "password"},
    {"type": "integer"}, {"type": "integer", "minimum": 0}, {"type": "number"}, {"type": "boolean"}, {"type": "null"},
    {"type": ["string", "null"]}, {"type": ["integer", "string"]}, {"type": ["number", "boolean", "null"]},
    {"enum": ["a", "b"]}, {"type": "string", "enum": ["a", "b"], "x-open-enum": True}, {"enum": [1, "1", None, True]},
    {"const": "card"}, {"const": 1}, {"const": 1.5}, {"const": {"a": 1}}, {"enum": [1, 2.5, [1]]},
    {}, {"type": "object"}, {"type": "array"}, {"type": "string", "pattern": "^[a-z]+$"},
    {"type": "object", "additionalProperties": False}, {"not": {"type": "string"}}, {"type": "number", "multipleOf": 0.01},
    {"type": "number", "minimum": 0.5}, {"type": "integer", "multipleOf": 7, "maximum": 2**60},
    {"type": ["string", "null"], "minLength": 1, "maxLength": 2}, {"type": "array", "minItems": 1},
    {"type": "object", "additionalProperties": {"type": "integer", "exclusiveMinimum": 0.5}, "maxProperties": 2},
]  # fmt: skip


def _objects(below: st.SearchStrategy[Any], names: list[str]) -> st.SearchStrategy[Any]:
    return st.fixed_dictionaries(
        {"type": st.sampled_from(["object", "object", ["object", "null"]])},
        optional={
            "properties": st.dictionaries(st.sampled_from(names), below, min_size=1, max_size=4),
            "required": st.lists(st.sampled_from(names), max_size=2, unique=True),
            "additionalProperties": st.one_of(st.booleans(), below),
            "patternProperties": st.dictionaries(st.just("^a"), below, max_size=1),
            "description": st.text(max_size=20),
        },
    )


def _several(below: st.SearchStrategy[Any], names: list[str]) -> st.SearchStrategy[Any]:
    two = st.lists(below, min_size=1, max_size=2)
    return st.one_of(
        st.builds(lambda branches: {"anyOf": branches}, two),
        st.builds(lambda branches: {"oneOf": branches}, two),
        st.builds(lambda branches: {"allOf": branches}, two),
        st.builds(lambda base, branches: {**base, "anyOf": branches}, _objects(below, names), two),
        st.builds(lambda base, then: {**base, "if": {"required": ["id"]}, "then": then}, _objects(below, names), below),
        st.builds(lambda items: {"type": "array", "items": items}, below),
        st.builds(lambda first, rest: {"type": "array", "prefixItems": [first], "items": rest}, below, below),
    )


def schemas(names: list[str] = NAMES) -> st.SearchStrategy[dict[str, Any]]:
    """Schemas of ``data``: objects at the root, definitions that may refer to themselves."""
    references = [{"$ref": f"#/$defs/{name}"} for name in DEFINITIONS] + [{"$ref": "#"}]
    leaves = st.sampled_from([*_SCALARS, *references])
    inner = st.recursive(leaves, lambda below: st.one_of(_objects(below, names), _several(below, names)), max_leaves=8)
    definitions = st.fixed_dictionaries(dict.fromkeys(DEFINITIONS, inner))
    return st.builds(lambda root, defs: {**root, "type": "object", "$defs": defs}, _objects(inner, names), definitions)


_ANYTHING = st.recursive(
    st.sampled_from([None, True, False, 0, 1, 1.0, 2.5, -0.0, 10**25, 1e300, "1", "a", "", "é", "1.0"]),
    lambda below: st.one_of(
        st.lists(below, max_size=2), st.dictionaries(st.sampled_from([*NAMES, "zz"]), below, max_size=3)
    ),
    max_leaves=4,
)


@st.composite
def documents(draw: st.DrawFn, root: dict[str, Any], *, extras: bool = True) -> Any:
    """A document made along ``root``; now and then something else. ``extras``: with properties of no schema."""
    return draw(_along(root, _Root(root, extras), 0))


class _Root(dict[str, Any]):
    def __init__(self, schema: dict[str, Any], extras: bool) -> None:
        super().__init__(schema)
        self.extras = extras


def _along(schema: Any, root: _Root, depth: int) -> st.SearchStrategy[Any]:
    if not isinstance(schema, dict) or depth > 4:
        return _ANYTHING
    if "$ref" in schema:
        target = root if schema["$ref"] == "#" else root["$defs"][schema["$ref"].rsplit("/", 1)[1]]
        return st.deferred(lambda: _along(target, root, depth + 1))
    if "const" in schema:
        return st.just(schema["const"])
    if "enum" in schema:
        return st.sampled_from([*schema["enum"], "new"] if schema.get("x-open-enum") else schema["enum"])
    for key in ("anyOf", "oneOf", "allOf"):
        if key in schema and "properties" not in schema:
            return st.one_of([_along(branch, root, depth + 1) for branch in schema[key]])
    kinds = schema.get("type")
    if kinds is None:
        return _ANYTHING
    return st.one_of([_of_type(kind, schema, root, depth) for kind in (kinds if isinstance(kinds, list) else [kinds])])


def _of_type(kind: str, schema: dict[str, Any], root: _Root, depth: int) -> st.SearchStrategy[Any]:
    if kind == "object":
        known = {name: _along(one, root, depth + 1) for name, one in schema.get("properties", {}).items()}
        missing = {name: _ANYTHING for name in schema.get("required", []) if name not in known}
        required = {name: known.get(name, missing.get(name)) for name in schema.get("required", [])}
        optional = {name: one for name, one in known.items() if name not in required}
        extra = schema.get("additionalProperties", True)
        further = _along(extra, root, depth + 1) if isinstance(extra, dict) else _ANYTHING
        further = further if root.extras or isinstance(extra, dict) else st.nothing()
        extras = st.dictionaries(st.sampled_from(["zz", "class_", "a_b_2", "extra"]), further, max_size=2)
        fixed = st.fixed_dictionaries(required, optional=optional)
        return st.builds(lambda one, two: {**two, **one}, fixed, extras)
    if kind == "array":
        items = schema.get("items", True)
        return st.lists(_along(items, root, depth + 1), max_size=3)
    simple: dict[str, st.SearchStrategy[Any]] = {
        "string": st.sampled_from(["", "a", "abc", "2026-11-20T10:00:00Z", "1", "é"]),
        "integer": st.sampled_from([0, 1, 1.0, 7, 2**60, 10**25, 1e3]),
        "number": st.sampled_from([0, 1.5, -0.0, 2**53 + 1, 1e300, 0.07, 1.0]),
        "boolean": st.booleans(),
        "null": st.none(),
    }
    return simple[kind]
