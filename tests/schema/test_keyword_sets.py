"""Only schema/ says which keywords hold subschemas: no other module has a list of its own."""

from __future__ import annotations

import ast

from syntax_trees import Module, modules

from babelreg.schema.dialects import DIALECTS

APPLICATORS = frozenset(keyword for dialect in DIALECTS.values() for keyword in dialect.keywords)

ARGUED = {
    "analysis/infer/widening.py": "the keywords that one edit inserts, and those that one condition excludes",
    "containment/certificates/choices.py": "which keywords of a core schema are likely to be costly",
    "containment/certificates/core_schemas.py": "a part of the checker of certificates",
    "containment/certificates/apart.py": "a part of the checker of certificates",
    "containment/certificates/part_rules.py": "the rules of the checker, which believes no other module",
    "containment/certificates/unevaluated.py": "a part of the checker of certificates",
    "containment/certificates/rules.py": "the rules of the checker, which believes no other module",
    "containment/certificates/search.py": "the rules that split a refused keyword",
    "containment/certificates/single_values.py": "a part of the checker of certificates",
    "containment/fast_path.py": "all the keywords that a plain object may have",
    "breaking/changes/pairs.py": "two words of one condition, beside the lists of schema/",
    "breaking/check/earlier_versions.py": "the two keywords that close an object",
    "containment/undecided.py": "the keywords that one question of the proof is about, group by group",
    "containment/schema_diff.py": "two schemas side by side, keyword by keyword in the order of the search",
    "breaking/rules/property_declared.py": "the keywords that one rule names",
    "breaking/rules/property_names_changed.py": "the keywords that one rule names",
    "contract/views/plain_views.py": "all the keywords that a plain object may have",
    "exchange/sources/schema_detection.py": "words that show a schema among other JSON files",
    "gen/targets/bqschema/enforcement.py": "what the SDKs enforce, from their source",
    "gen/targets/python/literals.py": "the order in which a schema is written out",
    "gen/targets/typescript/ajv_schemas.py": "two keywords that one validator reads wrongly side by side",
    "lint/rules/schema/keyword_unknown.py": "words that are never meant by a slip, and words that show a schema",
    "lint/rules/schema/keyword_without_effect.py": "two keywords for which the fix names a type",
    "lint/rules/schema/sdk_unenforced.py": "what the SDKs enforce, from their conformance suite",
    "lint/schema/metaschema.py": "the keywords that are sometimes written as lists of names",
}
"""By module, why it may have a list."""


def lists(module: Module) -> list[str]:
    """The lists, sets and tuples of a module that name two or more keywords with subschemas."""
    found = []
    for node in module.each(ast.Set, ast.Tuple, ast.List):
        words = [part.value for part in node.elts if isinstance(part, ast.Constant) and part.value in APPLICATORS]
        if len(words) > 1:
            found.append(f"line {node.lineno}: {', '.join(words)}")
    return found


def test_no_module_outside_schema_has_a_list_of_keywords_with_subschemas() -> None:
    found = {module.name: lists(module) for module in modules() if not module.name.startswith("schema/")}
    assert {name: lines for name, lines in found.items() if lines and name not in ARGUED} == {}


def test_every_exception_is_still_one() -> None:
    assert set(ARGUED) - {module.name for module in modules() if module.name in ARGUED and lists(module)} == set()
