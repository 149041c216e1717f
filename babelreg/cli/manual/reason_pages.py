"""Manual pages of reasons: why a message was refused, or cannot be stored in a table."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from babelreg.contract.reason import REASONS
from babelreg.wire.format import CONTROL_MESSAGE

ABSENT = "(absent)"
CONFLICT = "id_conflict"
"""That of ``babelreg.lake.ingest.quarantine``, which needs the extra; a test compares the two."""


class ReasonSample(NamedTuple):
    """A schema, a value that it refuses and a value that it accepts."""

    schema: Any
    bad: Any
    good: Any


_DRAFT_7 = "http://json-schema.org/draft-07/schema#"
SAMPLES: Mapping[str, ReasonSample] = {
    "wrong_const": ReasonSample({"const": "EUR"}, "USD", "EUR"),
    "not_in_enum": ReasonSample({"enum": ["card", "cash"]}, "cheque", "card"),
    "not_a_string": ReasonSample({"type": "string"}, 1042, "1042"),
    "below_min_length": ReasonSample({"type": "string", "minLength": 2}, "a", "ab"),
    "not_an_integer": ReasonSample({"type": "integer"}, "1042", 1042),
    "below_minimum": ReasonSample({"type": "integer", "minimum": 1}, 0, 1),
    "not_a_number": ReasonSample({"type": "number"}, "9.5", 9.5),
    "not_a_boolean": ReasonSample({"type": "boolean"}, 1, True),
    "not_null": ReasonSample({"type": "null"}, 0, None),
    "not_an_object": ReasonSample({"type": "object"}, [], {}),
    "missing_required": ReasonSample({"type": "object", "required": ["email"]}, {}, {"email": "a@example.com"}),
    "additional_not_allowed": ReasonSample(
        {"properties": {"id": {}}, "additionalProperties": False}, {"ID": 1}, {"id": 1}
    ),
    "not_an_array": ReasonSample({"type": "array"}, {}, []),
    "wrong_type": ReasonSample({"type": ["string", "integer"]}, True, "a"),
    "above_maximum": ReasonSample({"type": "integer", "maximum": 9}, 10, 9),
    "above_max_length": ReasonSample({"type": "string", "maxLength": 2}, "abc", "ab"),
    "not_a_multiple": ReasonSample({"type": "integer", "multipleOf": 5}, 7, 10),
    "wrong_pattern": ReasonSample({"type": "string", "pattern": "^[A-Z]{3}$"}, "eur", "EUR"),
    "wrong_format": ReasonSample({"type": "string", "format": "date"}, "1 May 2030", "2030-05-01"),
    "wrong_encoding": ReasonSample({"$schema": _DRAFT_7, "contentEncoding": "base64"}, "!", "aGk="),
    "too_few_items": ReasonSample({"type": "array", "minItems": 1}, [], [1]),
    "too_many_items": ReasonSample({"type": "array", "maxItems": 1}, [1, 2], [1]),
    "not_unique": ReasonSample({"type": "array", "uniqueItems": True}, [1, 1], [1, 2]),
    "item_not_allowed": ReasonSample({"type": "array", "prefixItems": [{}], "unevaluatedItems": False}, [1, 2], [1]),
    "missing_item": ReasonSample({"type": "array", "contains": {"const": 1}}, [2], [1]),
    "too_few_properties": ReasonSample({"type": "object", "minProperties": 1}, {}, {"a": 1}),
    "too_many_properties": ReasonSample({"type": "object", "maxProperties": 1}, {"a": 1, "b": 2}, {"a": 1}),
    "wrong_property_name": ReasonSample({"type": "object", "propertyNames": {"maxLength": 1}}, {"ab": 1}, {"a": 1}),
    "no_alternative": ReasonSample({"anyOf": [{"type": "string"}, {"type": "integer"}]}, True, "a"),
    "several_alternatives": ReasonSample({"oneOf": [{"minimum": 1}, {"minimum": 2}]}, 3, 1),
    "excluded": ReasonSample({"not": {"const": 0}}, 0, 1),
    "not_allowed": ReasonSample({"properties": {"old": False}}, {"old": 1}, {"new": 1}),
}
"""For reasons of the data: a schema, and two values."""

_META = '{"id":"f1e2d3c4-b5a6-4789-90ab-cdef01234567","queue":"orders","lang":"go","schema_version":1,"created_at":1}'
ENVELOPE: Mapping[str, tuple[str, str, str]] = {
    "invalid_json": ("data", '{"id": 1,}', '{"id": 1}'),
    "wrong_member_type": ("trace_id", "7", '"7b3f9c2a"'),
    "not_an_int64": ("attempts", "1.5", "1"),
    "number_out_of_range": ("data", '{"v": 1e999}', '{"v": 1e99}'),
    "missing_urn": ("job", ABSENT, '"urn:babel:orders:created"'),
    "missing_meta": ("meta", ABSENT, _META),
    "unsupported_schema_version": ("meta", _META.replace('n":1', 'n":2', 1), _META),
    "invalid_data": ("data", "null", "{}"),
    "missing_trace_id": ("trace_id", '""', '"7b3f9c2a"'),
    "invalid_attempts": ("attempts", "-1", "0"),
    "unknown_urn": ("job", '"urn:babel:orders:craeted"', '"urn:babel:orders:created"'),
}
"""For reasons of the envelope: one of its members, and two values of it as JSON text."""

_EXPLANATIONS = {
    "poison": "The body is not an envelope. No handler can process it, no retry helps: it is dead-lettered at once.",
    "envelope": "No reader may handle such an envelope; the BabelQueue libraries refuse it with the same code.",
    "unknown_urn": "The data has no contract and no handler.",
    "data": "Consumers rely on the schema: data that violates it is refused before it reaches a handler.",
    "send": "The producer refuses to send such an envelope, because every reader would receive it.",
    "table": "The message is valid, and consumers handle it, but the typed columns of its table cannot store it.",
}
_FIX = {
    "poison": "Check the producer, or the program that recorded the messages: a message is one JSON object in UTF-8.",
    "envelope": "Make the producer use a BabelQueue SDK, which writes the envelope.",
    "unknown_urn": "Declare the message in the registry, or make the producer send the intended URN.",
    "data": "Make the producer follow the schema, or allow the value in the registry, and run `babelreg breaking`.",
    "send": "Pass a valid value to the producer.",
    "table": "Limit the values in the schema, or choose a column that stores them: `x-spark-type: json` or `string`.",
}
_AGAIN = "To validate quarantined messages with this reason again, run `babelreg lake redrive --lake LAKE --reason {}`."


def reasons() -> dict[str, tuple[str, str]]:
    """Return the kind and the meaning of every reason, those of the contract first."""
    from babelreg.typemap.spark.values import UNSTORABLE

    return {
        **{code: (reason.kind, reason.meaning) for code, reason in REASONS.items()},
        **{code: ("table", meaning) for code, meaning in UNSTORABLE.items()},
        CONFLICT: ("table", "a message has the same meta.id as an earlier one"),
        CONTROL_MESSAGE: (
            "table",
            "a message of PHPMQ controls a queue and has no payload, so it has no row in a table",
        ),
    }


def page(code: str) -> str:
    """Return the page of the reason ``code``, in the layout of a rule's docstring."""
    kind, meaning = reasons()[code]
    bad, good = _blocks(code)
    why, fix = _EXPLANATIONS[kind], _FIX[kind]
    if code == CONFLICT:
        why = "It is unknown which of the two is right: the first is in its table, the second in quarantine."
        fix = "Make the producer give every message its own id."
    if code == "too_complex":
        fix = "Make the schema refer to itself only once, or in branches that exclude each other."
    if code == CONTROL_MESSAGE:
        why = "A recording of a connection has such messages among the others; they are kept so that the counts add up."
        fix = "Nothing needs to be fixed."
    if kind != "send":
        fix = f"{fix}\n\n{_AGAIN.format(code)}"
    blocks = "\n\n".join(
        f"{title}::\n\n{_indented(text)}" for title, text in (("Bad", bad), ("Good", good), ("Fix", fix))
    )
    return f"{sentence(meaning)}\n\n{why}\n\n{blocks}\n"


def sentence(meaning: str) -> str:
    """Return ``meaning`` as a sentence, which may begin with a name that is written as it is."""
    name = meaning.partition(" ")[0]
    begun = meaning if re.search("[._]", name) or name in _MEMBERS else f"{meaning[:1].upper()}{meaning[1:]}"
    return f"{begun}."


_MEMBERS = frozenset({"meta", "data", "attempts"})


def _blocks(code: str) -> tuple[str, str]:
    if code in SAMPLES:
        schema, bad, good = (json.dumps(part) for part in SAMPLES[code])
        return f"{bad}    # for the schema {schema}", f"{good}    # for the schema {schema}"
    if code in ENVELOPE:
        member, bad, good = ENVELOPE[code]
        return (
            f"{{..., no {member}}}" if bad == ABSENT else f'{{"{member}": {bad}, ...}}',
            f'{{"{member}": {good}, ...}}',
        )
    return _TEXTS.get(code, ("a message for which " + reasons()[code][1], "a message for which this is not the case"))


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" if line else "" for line in text.splitlines())


_TEXTS: Mapping[str, tuple[str, str]] = {
    "too_large": ("a body of 17 MiB", "a body with a reference to the large part"),
    "invalid_utf8": ('{"data": {"name": "J\\xfcrgen"}, ...}    # in Latin-1', "the same in UTF-8"),
    "too_deep": ("[[[[[[[[...]]]]]]]]    # in data, above the limit", "[[[...]]]"),
    "root_not_an_object": ("[]", '{"job": "urn:babel:orders:created", ...}'),
    "too_complex": (
        '{"not": {"not": {"not": ...}}}    # where the schema of `not` refers to itself in two branches',
        '{"not": {}}    # or a schema that refers to itself once; see `babelreg explain recursion-overlapping`',
    ),
    "not_checkable": ("a value nested deeper than the validator supports", "a value of a few levels"),
    "forbidden_key": ('{"timestamp": 1, ...}', '{"meta": {"created_at": 1, ...}, ...}'),
    "reserved_key": ('producer.send(data, meta={"id": "mine"})', 'producer.send(data, meta={"x-tenant": "a"})'),
    "repeated_key": ('[("x-tenant", "a"), ("x-tenant", "b")]', '[("x-tenant", "a")]'),
    "not_a_uuid": ('{"trace_id": "request 7", ...}', '{"trace_id": "7b3f9c2a-e41d-4f88-9b2a-1c0d5e6f7a8b", ...}'),
    "empty_string": ('{"queue": "", ...}', '{"queue": "orders", ...}'),
    "same_id": ('{"trace_id": "7b3f9c2a-...", "meta": {"id": "7b3f9c2a-...", ...}}',
                '{"trace_id": "7b3f9c2a-...", "meta": {"id": "f1e2d3c4-...", ...}}'),
    "integer_beyond_double": ('{"n": 9007199254740993}    # read as 9007199254740992', '{"n": "9007199254740993"}'),
    "not_json": ('{"price": float("nan")}', '{"price": None}'),
    "unstorable_integer": ('{"n": 18446744073709551616}    # {type: integer}', '{"n": 9223372036854775807}'),
    "unstorable_number": ('{"n": 1e400}    # {type: number}', '{"n": 1e300}'),
    "unstorable_decimal": ('{"n": 1.234}    # {x-spark-type: "decimal(10,2)"}', '{"n": 1.23}'),
    "unstorable_timestamp": ('{"at": "2016-12-31T23:59:60Z"}', '{"at": "2017-01-01T00:00:00Z"}'),
    "unstorable_date": ('{"day": "0000-01-01"}    # {format: date}', '{"day": "0001-01-01"}'),
    "unstorable_binary": ('{"b": "!"}    # {contentEncoding: base64}', '{"b": "aGk="}'),
    "unstorable_type": ('{"v": "1"}    # another variant declares v as an integer', '{"v": 1}'),
    "unstorable_string": ('{"s": "\\ud83d"}', '{"s": "\\ud83d\\ude00"}'),
    "unstorable_depth": ("data of hundreds of levels", "data of a few levels"),
    "unstorable_variant": ("a value of 17 MiB in a VARIANT column", "the same with x-spark-type: json"),
    "unstorable_size": ("numbers of 100,000 digits", "numbers with the digits of a double"),
    CONTROL_MESSAGE: ("H0100402...    # an acknowledgement", "H0100103...    # a message with a content"),
    CONFLICT: ("two messages with one meta.id, and different data", "two messages, each with its own meta.id"),
}  # fmt: skip
