"""Registries that want out: texts, schemas and names, each as a message that every target is made from.

``CANARY`` is code that leaves a trace when it runs. A case is ``id -> bundled schema``; :func:`registry` makes a message
of each, with the same text wherever a message can hold one.
"""

from __future__ import annotations

import builtins
import keyword
from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st

from babelreg.finding import Place
from babelreg.model import BoundedContext, Message, Registry, Service, Urn
from babelreg.schema.pointer import Pointer

TRACE = "babelreg_canary"
CANARY = f"__import__('builtins').{TRACE}.append(1)"

TEXTS: dict[str, str] = {
    "the end of a docstring": f'"""\n{CANARY}\n"""',
    "the end of the other docstring": f"'''\n{CANARY}\n'''",
    "an escaped end of a docstring": f'\\"""\n{CANARY}\n#',
    "quotes that grow into a docstring's end": f'""\n"""{CANARY}""""',
    "the end of a string": f'"\n{CANARY}\nx = "',
    "the end of the other string": f"'\n{CANARY}\nx = '",
    "the end of a call": f'"), {CANARY}, ("',
    "the end of a bracket": f'"]; {CANARY}; x = ["',
    "the end of a comment": f"# \n{CANARY}",
    "a comment of SQL and what follows": "-- \n; DROP TABLE orders; --",
    "the end of a string of SQL": "'; DROP TABLE orders; '",
    "an escaped quote of SQL": "\\'; DROP TABLE orders; --",
    "backticks of SQL": "`; DROP TABLE orders; `",
    "a type of SQL": "INT>, x: STRUCT<y: INT",
    "lines of their own": f"\n{CANARY}\n",
    "carriage returns": f"\r{CANARY}\r",
    "form feeds": f"\x0c{CANARY}\x0c",
    "vertical tabs": f"\x0b{CANARY}\x0b",
    "separators of files": f"\x1c{CANARY}\x1d{CANARY}\x1e",
    "line ends of Unicode": f"\x85{CANARY}\u2028{CANARY}\u2029{CANARY}",
    "a continued line": f"\\\n{CANARY}",
    "a backslash at the end": "trailing \\",
    "two backslashes at the end": "trailing \\\\",
    "escape sequences": f"\\N{{BULLET}} \\x22 \\u0022 {CANARY}",
    "a template": "{{ 7 * 7 }} {% for x in y %}{# z #}",
    "a template that calls": "{{ cycler.__init__.__globals__.os.system('true') }}",
    "a template's end": "}} %} #}",
    "format fields": "{0} %s ${x} {header!r}",
    "an f-string": f"{{{CANARY}}}",
    "a codec": "# -*- coding: utf-7 -*-",
    "directives of checkers": "# type: ignore # noqa # fmt: off # ruff: noqa",
    "characters that reorder text": "\u202e\u2066 \u2069 \u061c",
    "characters that hide text": "a\u200b\u200c\u2060\ufeffb\u00adc\u3164d",
    "variation selectors and tags": "a\ufe0f\U000e0041b",
    "a lone high surrogate": "\ud800",
    "a lone low surrogate": "a\udc00b",
    "surrogates in the wrong order": "\udc00\ud800",
    "a null": "\x00",
    "all controls": "".join(map(chr, [*range(32), *range(127, 160)])),
    "no characters": "\ufffe\uffff\U0010ffff",
    "a byte order mark": "\ufeff",
    "a ligature": "ﬁ",
    "letters that Python folds": "𝒾𝒹 ℌ ｎａｍｅ",
    "letters of another alphabet": "ореn",
    "marks that combine": "e\u0301" * 3,
    "an emoji of many characters": "👩‍👩‍👧",
    "empty": "",
    "a space": " ",
    "spaces of Unicode": "\u00a0\u2003\u3000",
    "a keyword": "class",
    "a soft keyword": "match",
    "a dunder": "__class__",
    "a hook of classes": "__init_subclass__",
    "a hook of descriptors": "__set_name__",
    "a slot": "__slots__",
    "what pydantic keeps for itself": "model_config",
    "a hook of pydantic": "model_post_init",
    "a method of pydantic": "model_dump",
    "an old method of pydantic": "json",
    "the base class": "Model",
    "a name of the module": "SCHEMA",
    "a function of the module": "message",
    "the producer's name": "HostileCaseProducer",
    "a name of typing": "Literal",
    "None": "None",
    "a path": "../../evil",
    "a path of Windows": "..\\..\\evil",
    "a dotted name": "os.system",
    "a module that prints when imported": "this.s",
    "a class that starts programs": "subprocess.Popen",
    "a reference": "#/$defs/x",
    "a reference to a file": "file:///etc/passwd",
    "a pattern that explodes": "^(a+)+$",
    "a pattern that is none": "(",
    "a number": "1e400",
    "a script in HTML": "<script>alert(1)</script>",
    "an image in HTML": "<img src=x onerror=alert(1)>",
    "the end of a comment in HTML": "--> <script>alert(1)</script> <!--",
    "the end of a table in HTML": "</td></tr></table><iframe src='//e'>",
    "entities": "&lt;script&gt; &#x3c;b&#x3e;",
    "a link of Markdown": "[click](javascript:alert(1))",
    "an image of Markdown": "![x](http://e.example/x.png)",
    "a definition of Markdown": "[x]: javascript:alert(1) 'x'",
    "an automatic link": "<javascript:alert(1)> <http://e.example>",
    "the end of a fence": "```\n<script>alert(1)</script>\n```",
    "the other fence": "~~~\n<b>x</b>\n~~~",
    "the end of a table row": "a | b |\n| c",
    "a heading": "# x\n=====\n",
    "a mention": "@everyone #1 GH-1",
    "a math block": "$$\\href{javascript:alert(1)}{x}$$ $`x`$",
    "a footnote": "[^1]\n\n[^1]: <b>x</b>",
    "a very long word": "a" * 5000,
    "a very long line": "a b " * 1000,
    "many lines": "x\n" * 200,
}
"""What may stand wherever a registry holds text."""

_MANY = ["title", "description", "$comment", "format", "pattern", "default", "contentEncoding", "contentMediaType",
         "x-python-type", "customTypePath", "customBasePath", "x-python-import", "x-enum-varnames", "x-enum-names",
         "x-enumNames", "x-go-type", "x-spark-type", "x-unit", "x-gdpr-sensitive", "discriminator", "$anchor"]  # fmt: skip


def of_text(text: str) -> dict[str, Any]:
    """A schema with ``text`` wherever a text can stand."""
    everywhere: dict[str, Any] = dict.fromkeys(_MANY, text)
    return {
        "$id": text,
        "type": "object",
        **everywhere,
        "required": [text, f"{text} again"],
        "properties": {
            text: {"type": "string", **everywhere},
            f"{text} ": {"enum": [text, f"{text}!"]},
            "fixed": {"const": text, **everywhere},
            "nested": {"type": "object", **everywhere, "properties": {text: {"type": "integer", **everywhere}}},
            "listed": {"type": "array", "items": {"type": "object", "properties": {text: True}}},
            "chosen": {"oneOf": [{"type": "object", "properties": {"kind": {"const": text}}}, {"type": "null"}]},
            "mapped": {"type": "object", "additionalProperties": {"type": "string", **everywhere}},
            "defined": {"$ref": "#/$defs/" + text.replace("~", "~0").replace("/", "~1").replace("%", "%25")},
        },
        "$defs": {text: {"type": "object", **everywhere, "properties": {text: {"type": "string"}}}},
    }


NAMES: dict[str, list[str]] = {
    "every keyword": [*keyword.kwlist, *keyword.softkwlist],
    "every builtin": [name for name in dir(builtins) if name != "_"],
    "names of pydantic models": [
        "model_dump", "model_dump_json", "model_validate", "model_config", "model_fields", "model_extra", "model_copy",
        "model_fields_set", "model_construct", "model_post_init", "model_computed_fields", "model_rebuild", "json",
        "copy", "dict", "construct", "schema", "schema_json", "validate", "parse_obj", "parse_raw", "parse_file",
        "from_orm", "update_forward_refs", "fields", "__fields__", "__init__", "__dict__", "__pydantic_extra__",
        "__pydantic_fields_set__", "__pydantic_private__", "__pydantic_validator__", "__private_attributes__",
    ],
    "names of dictionaries": ["get", "items", "keys", "values", "pop", "update", "clear", "copy", "setdefault"],
    "names of structs": ["__struct_fields__", "__struct_config__", "__post_init__", "tag", "tag_field", "UNSET"],
    "names of the object": [name for name in dir(object) if name.startswith("__")],
    "names of a class body": ["__module__", "__qualname__", "__annotations__", "__slots__", "__doc__", "__weakref__"],
    "names of the module": [
        "SCHEMA", "Model", "Producer", "Field", "Literal", "MISSING", "Any", "Annotated", "message", "annotations",
        "TypedDict", "NotRequired", "ReadOnly", "Struct", "Sequence", "Mapping", "deprecated", "UNSET", "UnsetType",
        "__all__", "__name__", "__file__", "__getattr__", "ClassVar", "Date", "DateTime", "Uuid", "DecimalText",
    ],
    "names of Spark": ["StructType", "StructField", "StringType", "SCHEMAS", "DDL", "Final", "_corrupt_record"],
    "names that Python folds into one": ["ﬁ", "fi", "ﬀ", "ff", "ſ", "s", "K", "K", "ª", "a", "ⅷ", "viii", "x²", "x2"],
    "names that differ in case": ["id", "ID", "Id", "iD", "ORDER_ID", "order_id", "Order_Id", "straße", "STRASSE"],
    "names that differ in signs": ["a-b", "a_b", "a b", "a.b", "a/b", "a__b", "_a_b", "a_b_", "aB", "a", "b", "a_b_2"],
    "empty names": ["", " ", "  ", "\t", "\n", "_", "__", "-", "--", ".", "..", "\u200b", "\u00a0", "\x00"],
    "names of digits": ["1", "01", "2nd", "1e5", "0x1f", "1_000", "-1", "١", "²"],
    "names like attributes that were renamed": ["class", "class_", "class__", "class_2", "field", "field_2", "field_"],
    "names that want out": [f"a: int = {CANARY}\n    b", "x\n", 'q"', "q'", '"""', "a\\", "a#b", "a`b", "a;b", "a|b"],
    "names of tables": ["select", "from", "order", "group", "struct", "array", "map", "int", "bigint", "date"],
    "names of pointers": ["~", "/", "~0", "~1", "a/b", "a~b", "%", "%2F", "#", "$ref", "$defs", "$id", "properties"],
    "names of schemas": ["type", "enum", "const", "items", "required", "additionalProperties", "allOf", "x-python-type"],
    "very long names": ["a" * 3000, "a" * 3001, "b_" * 1500, "é" * 2000],
    "letters of many alphabets": ["名前", "имя", "ονομα", "नाम", "اسم", "שם", "naïve", "e\u0301", "é", "😀"],
    "surrogates": ["\ud800", "\udc00", "a\ud800", "\ud83d"],
    "names that classes get": ["HostileCase", "HostileCaseProducer", "Money", "money", "Nested", "nested", "Option1"],
    "names of hooks": ["__get_validators__", "__get_pydantic_core_schema__", "__class_getitem__", "__init_subclass__",
                       "__set_name__", "__prepare__", "__new__", "__call__", "__eq__", "__hash__", "__getattr__"],
}  # fmt: skip
"""Names of properties that stand in one object together."""


def of_names(names: list[str]) -> dict[str, Any]:
    """A schema with properties of these names, at the top, nested, in a list, and as definitions."""
    leaves = {name: {"type": "integer"} for name in names}
    objects = {
        name: {"type": "object", "properties": {name: {"type": "string"}, "id": {"type": "integer"}}}
        for name in names[:12]
    }
    return {
        "type": "object",
        "properties": {
            **leaves,
            "nested objects": {"type": "object", "properties": objects},
            "nested list": {"type": "array", "items": {"type": "object", "properties": leaves}},
        },
        "$defs": objects,
    }


def document_of_names(names: list[str]) -> dict[str, Any]:
    """A document that has every property of :func:`of_names`."""
    leaves = {name: number for number, name in enumerate(names)}
    objects = {name: {"id": 1, name: "x" if name != "id" else 1} for name in names[:12]}
    return {**leaves, "nested objects": objects, "nested list": [leaves, {}]}


_VALUES: list[Any] = [CANARY, '"""', "\n", "\ud800", "", 10**400, -(10**30), -0.0, 1e308, True, None, [CANARY],
                      {CANARY: CANARY}, {"$ref": "#"}]  # fmt: skip

SCHEMAS: dict[str, dict[str, Any]] = {
    "code as the type of a property": {"properties": {"a": {"type": "integer", "x-python-type": "this.s"}}},
    "a class to derive from": {"customBasePath": "subprocess.Popen", "properties": {"a": {"type": "string"}}},
    "a class for a property": {"properties": {"a": {"type": "string", "customTypePath": "os.system"}}},
    "an import": {"x-python-import": {"module": "this", "name": "s"}, "properties": {"a": {"x-python-import": "this"}}},
    "code as a default": {"properties": {"a": {"type": "integer", "default": CANARY}}},
    "code as the default of an object": {"properties": {"a": {"type": "object", "default": {CANARY: CANARY}}}},
    "a default that is a factory": {"properties": {"a": {"default": [CANARY], "default_factory": CANARY}}},
    "values of every kind": {"properties": {"a": {"enum": _VALUES}}},
    "constants of every kind": {"properties": {f"a{n}": {"const": value} for n, value in enumerate(_VALUES)}},
    "defaults of every kind": {"properties": {f"a{n}": {"default": value} for n, value in enumerate(_VALUES)}},
    "names for the values": {"properties": {"a": {"enum": ["a", "b"], "x-enum-varnames": [CANARY, "mro"]}}},
    "bounds that are code": {"properties": {"a": {"type": "integer", "minimum": CANARY, "maximum": CANARY}}},
    "a pattern that is code": {"properties": {"a": {"type": "string", "pattern": f'")\n{CANARY}\n("'}}},
    "patterns for names": {"patternProperties": {f'")\n{CANARY}': {"type": "integer"}}, "properties": {"a": {}}},
    "a discriminator": {"properties": {"a": {"oneOf": [{"properties": {"k": {"const": CANARY}}}],
                                             "discriminator": {"propertyName": CANARY, "mapping": {CANARY: "#"}}}}},
    "formats that change values": {"properties": {
        f: {"type": "string", "format": f} for f in ("password", "path", "byte", "binary", "uri", "email", "decimal")
    }},
    "definitions that are paths": {
        "properties": {"a": {"$ref": "#/$defs/..~1..~1evil"}, "b": {"$ref": "#/$defs/os.py"}},
        "$defs": {"../../evil": {"properties": {"x": {}}, "type": "object"}, "os.py": {"enum": ["a"]}},
    },
    "definitions called as the module's names": {
        "properties": {name: {"$ref": f"#/$defs/{name}"} for name in ("Model", "Any", "str", "Literal", "None")},
        "$defs": {name: {"type": "object", "properties": {"a": {}}} for name in ("Model", "Any", "str", "Literal", "None")},
    },
    "a reference to itself": {"properties": {"a": {"$ref": "#"}, "b": {"type": "array", "items": {"$ref": "#"}}}},
    "references in a circle": {
        "properties": {"a": {"$ref": "#/$defs/x"}},
        "$defs": {"x": {"$ref": "#/$defs/y"}, "y": {"$ref": "#/$defs/x"}},
    },
    "a reference to a file": {"properties": {"a": {"$ref": "../../secret.json"}}},
    "a reference to the network": {"properties": {"a": {"$ref": "http://e.example/x.json"}}},
    "a reference to nothing": {"properties": {"a": {"$ref": "#/$defs/none"}}},
    "keywords of the wrong kind": {
        "required": "a", "properties": {"a": {"type": ["integer", 7], "enum": "x", "items": 1, "allOf": {}}},
    },
    "properties that are none": {"properties": {"a": 7, "b": None, "c": "x", "d": []}},
    "deep nesting": {"properties": {"a": (lambda f: f(f, 60))(
        lambda f, n: {"type": "object", "properties": {"a": f(f, n - 1) if n else {"type": "integer"}}})}},
    "many branches": {"properties": {"a": {"anyOf": [{"properties": {f"k{n}": {"const": n}}} for n in range(200)]}}},
    "many values": {"properties": {"a": {"enum": [f"v{n}\n{CANARY}" for n in range(500)]}}},
    "many properties": {"properties": {f"p{n}": {"type": "integer"} for n in range(500)}},
}  # fmt: skip
"""Schemas that are hostile by their structure."""

BIDI = "".join(map(chr, [*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x61C, 0x200E, 0x200F]))


def cases() -> dict[str, tuple[str, dict[str, Any]]]:
    """``id -> (text of the message, schema of its data)``: all of the above."""
    found = {f"text: {name}": (text, of_text(text)) for name, text in TEXTS.items()}
    found |= {f"names: {name}": (CANARY, of_names(list(dict.fromkeys(names)))) for name, names in NAMES.items()}
    return found | {f"schema: {name}": (CANARY, {"type": "object", **schema}) for name, schema in SCHEMAS.items()}


class Written:
    """A source that exists only in a test. Its path is as hostile as the rest."""

    def __init__(self, path: str) -> None:
        self.path = path

    def place(self, pointer: Pointer = (), *, key: bool = False) -> Place:
        return Place(self.path)


def message(number: int, text: str, schema: Mapping[str, Any], **more: Any) -> Message:
    """Message ``urn:babel:hostile:case<number>`` with ``text`` wherever a message holds one."""
    urn = f"urn:babel:hostile:case{number}"
    said: dict[str, Any] = {
        "kind": text, "description": text, "owner": text, "queue": text, "sunset": text, "status": "deprecated",
        "producers": (text, "sender"), "declared_consumers": (text,), "data": schema, "schema": schema,
    }  # fmt: skip
    source = Written(f"hostile/{text}\n{CANARY}/case{number}.yaml")
    return Message(urn=urn, parsed=Urn.parse(urn), source=source, **{**said, **more})


def registry(found: Mapping[str, tuple[str, Mapping[str, Any]]] | None = None) -> Registry:
    """A message of each case, in their order; services and a context that hold the text of the first."""
    chosen = cases() if found is None else found
    messages = tuple(message(n, text, schema) for n, (text, schema) in enumerate(chosen.values()))
    text = next(iter(chosen.values()))[0]
    said: dict[str, Any] = {"owner": text, "description": text, "contact": text}
    service = Service("sender", Written(f"_services/{text}.yaml"), lang=text, repo=text, **said)
    return Registry(
        "",
        contexts={"hostile": BoundedContext("hostile", Written(f"hostile/{text}/_context.yaml"), **said)},
        services={"sender": service},
        messages=messages,
    )


_PIECES = [*TEXTS.values(), *(name for names in NAMES.values() for name in names)]


def texts() -> st.SearchStrategy[str]:
    """Any text, most of it of pieces that mean something to somebody."""
    piece = st.one_of(st.sampled_from([one for one in _PIECES if len(one) < 200]), st.text(max_size=3))
    return st.lists(piece, max_size=4).map("".join)


def document_of_text(text: str) -> dict[str, Any]:
    """A document that has every property of :func:`of_text`."""
    return {
        text: "x",
        f"{text} ": text,
        f"{text} again": [1, None],
        "fixed": text,
        "nested": {text: 1},
        "listed": [{text: {"a": 1.5}}, {}],
        "chosen": {"kind": text},
        "mapped": {text: "x"},
        "defined": {text: "x"},
    }


def documents() -> dict[str, dict[str, Any]]:
    """``id -> a document`` with all properties of its case, for the cases of texts and of names."""
    found = {f"text: {name}": document_of_text(text) for name, text in TEXTS.items()}
    return found | {f"names: {name}": document_of_names(list(dict.fromkeys(names))) for name, names in NAMES.items()}


def unprintable(text: str, allowed: str = "\n") -> set[str]:
    """The characters that a generated file has and must not have."""
    rest = text.translate(dict.fromkeys(map(ord, allowed)))
    return set() if rest.isprintable() else {character for character in rest if not character.isprintable()}
