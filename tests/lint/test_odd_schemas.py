"""No rule minds what stands where a schema belongs: any value below any keyword is judged or passed over."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from babelreg import load
from babelreg.lint.rules import RULES
from babelreg.lint.scope import Scope
from babelreg.load.files.tree import Memory
from babelreg.schema.keywords_by_type import KNOWN

ANCHORS = {"$id", "id", "$anchor", "$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$recursiveAnchor"}
WORDS = st.sampled_from(["", "x", "P q", "(", "^(a+)+$", "object", "string", "trace_id", "date-time", "#", "#/$defs/x"])
VALUES = st.recursive(
    st.one_of(WORDS, st.none(), st.booleans(), st.sampled_from([0, -1, 1.5, 1e308, 10**30])),
    lambda below: st.one_of(st.lists(below, max_size=3), st.dictionaries(WORDS, below, max_size=2)),
    max_leaves=4,
)
KEYWORDS = st.sampled_from([*sorted(KNOWN - ANCHORS - {"$schema"}), "x-spark-type", "nullable", "requried"])
TYPES = st.sampled_from(["object", "array", "string", "integer", "number", ["string", "null"], ["object", "array"]])
SCHEMAS = st.recursive(
    st.dictionaries(KEYWORDS, VALUES, max_size=4),
    lambda below: st.builds(
        lambda plain, deep, kind: {**plain, **deep, **({} if kind is None else {"type": kind})},
        st.dictionaries(KEYWORDS, VALUES, max_size=2),
        st.dictionaries(
            KEYWORDS, st.one_of(below, st.lists(below, max_size=2), st.dictionaries(WORDS, below, max_size=2))
        ),
        st.none() | TYPES,
    ),
    max_leaves=6,
)
DIALECTS = st.sampled_from([{}, {"$schema": "http://json-schema.org/draft-07/schema#"}])


@settings(max_examples=70, deadline=None)
@given(SCHEMAS, SCHEMAS, DIALECTS, VALUES)
def test_every_rule_gets_through_any_schema(schema: Any, shared: Any, dialect: Any, value: Any) -> None:
    message = {
        "urn": "urn:babel:orders:created",
        "kind": "event",
        "producers": ["a"],
        "data": {**schema, **dialect, "properties": {"p": {"$ref": "../_common/f.yaml"}, "q": schema}},
        "examples": [{"p": value, "q": value}],
    }
    files = {"babelreg.yaml": "version: 1\n", "_services/a.yaml": "owner: x\nlang: go\n"}
    files |= {"orders/created.yaml": json.dumps(message), "_common/f.yaml": json.dumps(shared)}
    scope = Scope(load.from_tree(Memory({path: text.encode() for path, text in files.items()})))
    for rule in RULES.values():
        for problem in rule.check(scope):
            place = problem.source.place(problem.pointer, key=problem.key, offset=problem.offset)
            assert problem.message
            assert problem.fix
            assert place.path in files
