"""What nobody sane writes: values, keys, names and references that have broken readers of YAML and JSON Schema."""

from __future__ import annotations

import random
from typing import Any

__all__ = ["KEYWORDS", "REFERENCES", "TEXTS", "any_value", "key", "schema"]

TEXTS = [
    "", " ", "\n", "\t", "\x00", "\x07", "\x1b[31mred\x1b[0m", "\x1b]0;title\x07", "\x7f", "\x85", "\u2028", "\u2029",
    "\u202e\u2066evil\u2069", "\u200b", "\ufeff", "\ufffe", "\ud800", "\udcff", "ﬁ", "ﬀ", "İ", "ß", "e\u0301", "🇫🇷", "𝔘", "٣",
    "null", "true", "yes", "~", "1", "-0.0", "1e400", ".inf", "012", "0x1f", "<<", "*a", "&a", "!!python/object:os.system", "%YAML 2.0",
    "---", "- a", "a: b", "a: b: c", "{", "[", "}", "#", "# a", "'", '"', "`", "|", ">", "?", "@x", "\\", "\\u0000", "a" * 3000,
    "__class__", "__init__", "__proto__", "constructor", "class", "None", "self", "cls", "import", "model_config", "toString", "_",
    "../../etc/passwd", "/etc/passwd", "C:\\nul", "con", "aux.yaml", "a/b", "a//b", "..", ".", "~/x", "$(id)", "`id`", "; rm x", "-rf",
    "{{ 7*7 }}", "{% x %}", "{0.__class__}", "%s%n", "${x}", "<script>alert(1)</script>", "[a](javascript:x)", "|a|b|", "-->", "]]>", '"""', "'''",
    "urn:babel:orders:created", "urn:babel:orders:created.v2", "urn:babel:orders:created.v3", "urn:babel:orders:created.v9999999999999999999999",
    "urn:babel:Orders:Created", "urn:babel::", "urn:babel:a:b:c", "urn:babel:orders:1042", "urn:babel:" + "a" * 500 + ":b", "App\\Messages\\Created",
    "date-time", "email", "uuid", "regex", "ipv6", "no-such-format", "2030-01-01", "2030-02-30", "9999-99-99", "2024-02-29T25:61:61Z",
    "orders-api", "billing-worker", "order_id", "total.minor", "lines[].qty", "[].[]", "a..b", "lines[", "a\\.b", "\\", "event", "command", "active", "retired",
]  # fmt: skip

PATTERNS = [
    "(a+)+$", "(a|aa)*b", "^(([a-z])+.)+[A-Z]([a-z])+$", "(?:a{1,1000}){1,1000}", "a{99999999}", "(", "[", "\\", "*", "(?<=a+)b", "(?=a)b", "(?P<n>a)(?P=n)", "\\1(a)",
    "\\p{L}+", "\\p{Nope}", "[\\d-z]", "^$", "(?i)a", "(((((((((((((((((((((a*)*)*)*)*)*)*)*)*)*)*)*)*)*)*)*)*)*)*)*)*)", "a" * 2000, "[^\\x00-\\x7f]", "\ud800", "\\ud800", "\\c", "(?#",
    "^(?:(?:25[0-5]|2[0-4][0-9]|[01]?[0-9][0-9]?)\\.){3}$", "(?!)", "[]", "[^]", "\\Z", "\\A", "^a|b$", "((a{0,5}){0,5}){0,5}$", "(.*){50}x",
]  # fmt: skip

REFERENCES = [
    "#", "#/", "##", "#/$defs/x", "#/properties", "#/properties/order_id", "#/required", "#/type", "#anchor", "#/%", "#/%zz", "#/~2", "#/%ff", "#/a/0", "#/allOf/-1", "#/allOf/٣", "#/allOf/00",
    "../_common/money.yaml", "../_common/money.yaml#", "../_common/money.yaml#/properties/minor", "../_common/money.yaml#/nope", "../_common/nope.yaml", "../_common/address.yaml",
    "../_common/../_common/money.yaml", "./../_common/money.yaml", "..//_common/money.yaml", "../_common", "../_common/", "../babelreg.yaml", "_context.yaml", "created.yaml", "created.v2.yaml",
    "cancelled.yaml#/data", "../orders/created.v2.yaml#/data", "../billing/invoice.issue.yaml#/data/properties/order_id", "../_services/orders-api.yaml",
    "../../outside/secret.yaml", "../../outside/secret.json", "../..", "/etc/passwd", "/etc/passwd.yaml", "file:///etc/passwd", "file:///etc/hostname#/x", "http://127.0.0.1:9/x.yaml", "https://example.invalid/x.json",
    "//example.invalid/x.yaml", "urn:babel:orders:created", "json-schema:///x", "data:application/json,{}", "..%2f..%2foutside%2fsecret.yaml", "%2e%2e/%2e%2e/outside/secret.yaml",
    "\\\\host\\share", "../_common/money.yaml\x00", "../_common/mo\nney.yaml", "../_common/\ud800.yaml", "C:/x.yaml", "../link/secret.yaml", "../_common/link.yaml", "", " ", "?", "a" * 5000 + ".yaml", "x/" * 500 + "x.yaml",
    "http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2020-12/schema", "http://[", "//[::1", "#/$defs/" + "a/" * 500,
]  # fmt: skip

DIALECTS = [
    "http://json-schema.org/draft-07/schema#", "http://json-schema.org/draft-04/schema#", "http://json-schema.org/draft-06/schema", "https://json-schema.org/draft/2019-09/schema",
    "https://json-schema.org/draft/2020-12/schema", "https://json-schema.org/draft/2020-12/schema#", "http://example.invalid/schema", "", "#", 7, None, [], "http://[",
]  # fmt: skip

NUMBERS: list[Any] = [
    0, -0.0, 0.0, 1, -1, 2, 1.0, 1.5, 0.1, 1e-320, 1e308, -1e308, 2**31, 2**53, 2**53 + 1, 2**63 - 1, 2**63, -(2**63) - 1, 2**64, 10**30, 10**300, -(10**300), 10**399, 5e-324,
]  # fmt: skip

ONE = [
    "not",
    "if",
    "then",
    "else",
    "items",
    "contains",
    "additionalProperties",
    "unevaluatedProperties",
    "unevaluatedItems",
    "propertyNames",
    "additionalItems",
    "contentSchema",
]
LISTS = ["allOf", "anyOf", "oneOf", "prefixItems"]
MAPS = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"]
COUNTS = [
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "minProperties",
    "maxProperties",
    "minContains",
    "maxContains",
]
BOUNDS = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]
OTHERS = [
    "type", "enum", "const", "required", "dependentRequired", "pattern", "format", "uniqueItems", "$ref", "$schema", "$id", "$anchor", "$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$recursiveAnchor",
    "$vocabulary", "$comment", "title", "description", "default", "examples", "deprecated", "readOnly", "contentEncoding", "contentMediaType", "id", "discriminator", "nullable",
    "x-open-enum", "x-gdpr-sensitive", "x-unit", "x-spark-type", "x-python-type",
]  # fmt: skip
KEYWORDS = [*ONE, *LISTS, *MAPS, *COUNTS, *BOUNDS, *OTHERS]
TYPES = ["object", "array", "string", "number", "integer", "boolean", "null"]
NAMES = [
    "order_id",
    "total",
    "email",
    "lines",
    "qty",
    "minor",
    "currency",
    "a",
    "b",
    "",
    "x-a",
    "class",
    "$ref",
    "type",
    "properties",
    "a.b",
    "a/b",
    "a~b",
    "ﬁ",
    "\x1b[2J",
]
REGISTRY_KEYS = [
    "urn", "kind", "status", "description", "owner", "queue", "supersedes", "producers", "consumers", "delivery", "data", "examples", "counterexamples", "upcast", "sunset", "retired_on", "x-a",
    "version", "compatibility", "lint", "gen", "imports", "lang", "repo", "contact", "consumes", "reads", "reader", "direction", "since", "because", "file", "max_attempts", "on_failure",
    "rename", "set", "default", "drop", "cast", "map", "rules", "ignore", "python", "spark", "docs", "package",
]  # fmt: skip


def key(chance: random.Random) -> str:
    """A key of a mapping."""
    return chance.choice(chance.choice([KEYWORDS, REGISTRY_KEYS, TEXTS, NAMES]))


def any_value(chance: random.Random, depth: int = 0) -> Any:
    """Any JSON value, small or monstrous."""
    kind = chance.random()
    if kind < 0.2:
        return chance.choice(TEXTS)
    if kind < 0.35:
        return chance.choice(NUMBERS)
    if kind < 0.45:
        return chance.choice([None, True, False])
    if kind < 0.6:
        return schema(chance, depth + 1)
    if kind < 0.65:
        return _deep(chance)
    if kind < 0.67:
        return _wide(chance)
    if depth > 3:
        return chance.choice([[], {}, [[]], [{}], [None], {"": {}}])
    if kind < 0.85:
        return [any_value(chance, depth + 1) for _ in range(chance.randint(0, 3))]
    return {key(chance): any_value(chance, depth + 1) for _ in range(chance.randint(0, 3))}


def _deep(chance: random.Random) -> Any:
    value: Any = chance.choice([None, "x", {}, {"$ref": "#"}, True])
    around = chance.choice(["list", "properties", "items", "allOf", "not", "if", "key", "$defs"])
    for _ in range(chance.choice([5, 30, 60, 99, 101, 130, 200])):
        if around == "list":
            value = [value]
        elif around in ("allOf",):
            value = {around: [value]}
        elif around in ("properties", "$defs"):
            value = {around: {"a": value}}
        else:
            value = {around: value}
    return value


def _wide(chance: random.Random) -> Any:
    count = chance.choice([100, 1000])
    kind = chance.randrange(4)
    if kind == 0:
        return {"enum": list(range(count))}
    if kind == 1:
        return {"type": "object", "properties": {f"p{i}": {"type": "string"} for i in range(count)}}
    if kind == 2:
        return {"anyOf": [{"type": "object", "required": [f"p{i}"]} for i in range(count // 5)]}
    return list(range(count))


def schema(chance: random.Random, depth: int = 0) -> Any:
    """Something like a JSON Schema: right keywords, and values that are mostly, not always, of the right kind."""
    if depth > 3 or chance.random() < 0.15:
        return chance.choice(
            [
                True,
                False,
                {},
                {"type": "string"},
                {"type": "integer"},
                {"$ref": "#"},
                {"type": "object"},
                {"enum": []},
                {"const": None},
            ]
        )
    found: dict[str, Any] = {}
    for word in chance.sample(KEYWORDS, chance.randint(1, 4)):
        found[word] = _argument(chance, word, depth) if chance.random() < 0.9 else any_value(chance, depth + 1)
    if chance.random() < 0.4:
        found["type"] = chance.choice([*TYPES, ["object", "null"], ["string", "integer"], []])
    return found


def _argument(chance: random.Random, word: str, depth: int) -> Any:
    if word in ONE:
        return schema(chance, depth + 1)
    if word in LISTS:
        return [schema(chance, depth + 1) for _ in range(chance.randint(0, 3))]
    if word in MAPS:
        names = PATTERNS if word == "patternProperties" else NAMES
        return {chance.choice(names): schema(chance, depth + 1) for _ in range(chance.randint(0, 3))}
    if word in COUNTS:
        return chance.choice([0, 1, 2, 3, 1000, 10**6, 2**63, 10**30, 1.0, -1])
    if word in BOUNDS:
        return chance.choice(NUMBERS)
    return _other(chance, word, depth)


def _other(chance: random.Random, word: str, depth: int) -> Any:
    if word == "type":
        return chance.choice([*TYPES, ["object", "null"], ["string", "string"], [], ["int"], "any", [["object"]]])
    if word == "enum":
        return [any_value(chance, 3) for _ in range(chance.randint(0, 4))]
    if word in ("required",):
        return chance.choice(
            [[], [chance.choice(NAMES)], ["a", "a"], "a", [1], ["order_id", "nope"], [chance.choice(TEXTS)]]
        )
    if word == "dependentRequired":
        return {chance.choice(NAMES): [chance.choice(NAMES)]}
    if word == "pattern":
        return chance.choice(PATTERNS)
    if word in ("$ref", "$dynamicRef", "$recursiveRef"):
        return chance.choice(REFERENCES)
    if word == "$schema":
        return chance.choice(DIALECTS)
    if word in ("examples",):
        return [any_value(chance, 3) for _ in range(3)]
    if word in ("uniqueItems", "deprecated", "x-open-enum", "$recursiveAnchor", "nullable"):
        return chance.choice([True, False])
    if word in ("const", "default"):
        return any_value(chance, 3)
    return chance.choice(TEXTS)
