"""Every reader of schemas ignores what is beside a ``$ref`` in draft-07, and counts it in 2020-12."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import jsonschema_rs
import pytest

from babelreg import load
from babelreg.containment import compare
from babelreg.containment.certificates.proof import prove
from babelreg.containment.fields import declared, schemas_at
from babelreg.containment.schema_diff import differences
from babelreg.containment.search.alternatives import alternatives, possible_mappings
from babelreg.containment.search.node import SearchDocument
from babelreg.contract import views
from babelreg.gen.reference.field_rows import rows
from babelreg.gen.reference.personal_fields import marks
from babelreg.gen.targets.docs import markdown
from babelreg.lake.report.value_visibility import SchemaLocations
from babelreg.lint.privacy.sensitivity_marks import SensitivityMarks
from babelreg.lint.schema.enclosing_object import enclosing_object
from babelreg.lint.schema.field import SchemaField
from babelreg.lint.schema.field_conjuncts import conjuncts_of
from babelreg.lint.schema.path_resolver import PathResolver
from babelreg.lint.scope import Scope
from babelreg.load.files.tree import Memory
from babelreg.schema.annotations import annotated
from babelreg.schema.conjuncts import Conjunct, ConjunctWalker
from babelreg.schema.dialects import dialect_of, identify
from babelreg.schema.local_references import LocalReferences
from babelreg.schema.simplify import without_ref_siblings
from babelreg.typemap import spark
from babelreg.typemap.python.types import shape_of

DRAFT7, NEWEST = "http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2020-12/schema"
OBJECT = {"properties": {"inner": {"type": "string"}}}


def schema(uri: str, definition: Any, **siblings: Any) -> dict[str, Any]:
    """An object whose property ``a`` has ``siblings`` beside a ``$ref``."""
    folder = "definitions" if uri == DRAFT7 else "$defs"
    properties = {"a": {"$ref": f"#/{folder}/d", **siblings}}
    return {"$schema": uri, "type": "object", "properties": properties, folder: {"d": definition}}


def scope(given: dict[str, Any]) -> Scope:
    message = f"urn: urn:babel:orders:created\nkind: event\nproducers: [shop]\ndata: {json.dumps(given)}\n"
    files = {
        "babelreg.yaml": "version: 1\n",
        "orders/_context.yaml": "owner: team-orders\n",
        "orders/created.yaml": message,
    }
    return Scope(load.from_tree(Memory({path: content.encode() for path, content in files.items()})))


def field(given: dict[str, Any]) -> tuple[Scope, SchemaField]:
    held = scope(given)
    return held, next(one for one in held.fields if one.name == "a")


def reference_judges(uri: str) -> bool:
    given = schema(uri, {}, maxLength=1)
    return not jsonschema_rs.is_valid(given, {"a": "long"})


def producer_view(uri: str) -> bool:
    given = schema(uri, {"type": "object"}, **OBJECT)
    view = views.producer_view(given)
    return not identify(given).validator_for(view).is_valid({"a": {"other": 1}})


def reader_view(uri: str) -> bool:
    given = schema(uri, {"type": "object"}, enum=["x"], **{"x-open-enum": True}, maxLength=1)
    view = views.reader_view(given)
    return not identify(given).validator_for(view).is_valid({"a": {}})


def lint_fields(uri: str) -> bool:
    return "maxLength" in field(schema(uri, {}, maxLength=1))[1].schema


def lint_types(uri: str) -> bool:
    held, found = field(schema(uri, {"type": "string"}, type="integer"))
    return held.types(found) == ("integer",)


def lint_targets(uri: str) -> bool:
    given = schema(uri, {"$ref": "#/definitions/e" if uri == DRAFT7 else "#/$defs/e", "type": "integer"})
    given["definitions" if uri == DRAFT7 else "$defs"]["e"] = {"type": "string"}
    held, found = field(given)
    return held.types(found) == ("integer",)


def lint_parts(uri: str) -> bool:
    return any("maxLength" in part for part in conjuncts_of(field(schema(uri, {}, maxLength=1))[1]))


def lint_enclosing_object(uri: str) -> bool:
    return "inner" in enclosing_object(field(schema(uri, {"properties": {"b": {}}}, **OBJECT))[1], {}).names


def lint_reads(uri: str) -> bool:
    return (
        PathResolver(schema(uri, {"type": "object", "properties": {"b": {}}}, **OBJECT)).first_missing(("a", "inner"))
        is None
    )


def lint_personal_data(uri: str) -> bool:
    held, found = field(schema(uri, {}, **{"x-gdpr-sensitive": "email"}))
    return SensitivityMarks(held).covers(found)


def conjunct_walker(uri: str) -> bool:
    given = schema(uri, {}, maxLength=1)
    nodes = [Conjunct(given["properties"]["a"], ("properties", "a"))]
    return any("maxLength" in node.schema for node in ConjunctWalker(given, 100).flat(nodes, frozenset())[0])


def references_in_place(uri: str) -> bool:
    given = schema(uri, {}, allOf=[{"maxLength": 1}])
    found = LocalReferences(given).in_place(given["properties"]["a"])
    return any("maxLength" in below for _, below in found)


def annotations(uri: str) -> bool:
    return bool(annotated(schema(uri, {}, **{"x-unit": "ms"}), "x-unit"))


def simplified(uri: str) -> bool:
    return "title" in without_ref_siblings(schema(uri, {}, title="A"))["properties"]["a"]


def docs_fields(uri: str) -> bool:
    return rows(schema(uri, {"type": "string"}, description="Theirs."), markdown)[0].meaning == "Theirs."


def annotated_marks(uri: str) -> bool:
    return bool(annotated(schema(uri, {}, **{"x-gdpr-sensitive": "email"}), "x-gdpr-sensitive"))


def simplified_marks(uri: str) -> bool:
    marked = schema(uri, {}, title="A", **{"x-gdpr-sensitive": "email"})
    return without_ref_siblings(marked)["properties"]["a"].get("x-gdpr-sensitive") == "email"


def docs_field_marks(uri: str) -> bool:
    return "email" in rows(schema(uri, {"type": "string"}, **{"x-gdpr-sensitive": "email"}), markdown)[0].personal


def docs_of_recursion(uri: str) -> bool:
    given = schema(uri, {"type": "object"})
    given["properties"]["a"] = {"$ref": "#", "description": "Theirs."}
    return rows(given, markdown)[0].meaning == "Theirs."


def docs_personal_data(uri: str) -> bool:
    return bool(marks(schema(uri, {}, **{"x-gdpr-sensitive": "email"})).fields)


def python_attributes(uri: str) -> bool:
    classes = shape_of(schema(uri, {"type": "object", "properties": {"b": {}}}, **OBJECT), "M").classes
    return any(one.wire == "inner" for made in classes.values() for one in made.attributes)


def python_docstrings(uri: str) -> bool:
    return (
        shape_of(schema(uri, {"type": "string"}, description="Theirs."), "M").classes["M"].attributes[0].description
        == "Theirs."
    )


def python_deprecation(uri: str) -> bool:
    return shape_of(schema(uri, {"type": "string"}, deprecated=True), "M").classes["M"].attributes[0].deprecated


def spark_columns(uri: str) -> bool:
    return "inner" in spark.ddl(spark.columns(schema(uri, {"type": "object", "properties": {"b": {}}}, **OBJECT)))


def spark_type_override(uri: str) -> bool:
    return "DECIMAL" in spark.ddl(spark.columns(schema(uri, {"type": "number"}, **{"x-spark-type": "decimal(9,2)"})))


def spark_comments(uri: str) -> bool:
    return "Theirs." in spark.ddl(spark.columns(schema(uri, {"type": "string"}, description="Theirs.")))


def spark_comment_of_recursion(uri: str) -> bool:
    given = schema(uri, {"type": "object"})
    given["properties"]["a"] = {"$ref": "#", "description": "Theirs."}
    return "Theirs." in spark.ddl(spark.columns(given))


def spark_personal_data(uri: str) -> bool:
    return (
        spark.columns(schema(uri, {"type": "string"}, **{"x-gdpr-sensitive": "email"})).fields[0].sensitive == "email"
    )


def report_personal_data(uri: str) -> bool:
    places = SchemaLocations(schema(uri, {"type": "string"}, **{"x-gdpr-sensitive": "email"}))
    return places.below(places.root(), "a").sensitive == "email"


def breaking_marks(uri: str) -> bool:
    return (
        declared(schema(uri, {"type": "string"}, **{"x-gdpr-sensitive": "email"}))["a"].keyword_value(
            "x-gdpr-sensitive"
        )
        == "email"
    )


def breaking_schemas_at(uri: str) -> bool:
    return any("maxLength" in node.schema for node in schemas_at(schema(uri, {}, maxLength=1), ("a",)))


def breaking_verdict(uri: str) -> bool:
    loose, tight = schema(uri, {"type": "string"}), schema(uri, {"type": "string"}, maxLength=1)
    return compare(loose, tight).backward.kind == "breaking"


def breaking_differences(uri: str) -> bool:
    loose, tight = schema(uri, {"type": "string"}), schema(uri, {"type": "string"}, maxLength=1)
    return bool(differences(loose, tight))


def breaking_search(uri: str) -> bool:
    given = schema(uri, {"type": "string"}, maxLength=1)
    node = SearchDocument(given, dialect_of(given), formats=False).node.at("properties", "a")
    ways = [part for way in alternatives((node,)) for part in way]
    assert any("maxLength" in part.schema for part in ways) == any(
        "maxLength" in part.schema for part in possible_mappings((node,))
    )
    return any("maxLength" in part.schema for part in ways)


def breaking_proof(uri: str) -> bool:
    given = schema(uri, {"type": "string"}, maxLength=1)
    proof = prove(given, {"properties": {"a": {"maxLength": 1}}}, dialect_of(given).name, formats=False)
    return proof is not None and proof.complete


READERS: list[Callable[[str], bool]] = [
    reference_judges, producer_view, reader_view,
    conjunct_walker, references_in_place, annotations, simplified,
    lint_fields, lint_types, lint_targets, lint_parts, lint_enclosing_object, lint_reads,
    docs_fields, docs_of_recursion,
    python_attributes, python_docstrings, python_deprecation,
    spark_columns, spark_type_override, spark_comments, spark_comment_of_recursion,
    breaking_schemas_at, breaking_verdict, breaking_differences, breaking_search, breaking_proof,
]  # fmt: skip


@pytest.mark.parametrize("counts", READERS, ids=lambda reader: reader.__name__)
def test_siblings_of_a_reference_are_ignored_in_draft_07_and_count_in_2020_12(counts: Callable[[str], bool]) -> None:
    assert (counts(DRAFT7), counts(NEWEST)) == (False, True)


MARK_READERS: list[Callable[[str], bool]] = [
    annotated_marks, simplified_marks, lint_personal_data, docs_personal_data, docs_field_marks, spark_personal_data,
    report_personal_data, breaking_marks,
]  # fmt: skip


@pytest.mark.parametrize("counts", MARK_READERS, ids=lambda reader: reader.__name__)
def test_a_mark_of_personal_data_counts_beside_a_reference_in_every_dialect(counts: Callable[[str], bool]) -> None:
    assert (counts(DRAFT7), counts(NEWEST)) == (True, True)
