"""Ajv's verdicts by generated validators are ours, in both views. Needs node, and npm with a package index."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import hostile
import node_sdk
import npm
import pytest
from drawn_schemas import drawn
from hypothesis import given, settings
from hypothesis import strategies as st
from typescript_project import errors, written

from babelreg import load
from babelreg.contract import Contract
from babelreg.gen.target import generated_messages
from babelreg.load.service import starter
from babelreg.model import Registry
from babelreg.schema.dialects import DIALECTS
from babelreg.schema.keywords_by_type import FORMATS

pytestmark = pytest.mark.servers

ROOT = Path(__file__).resolve().parents[4]
DRAFT_07 = DIALECTS["draft7"].uri
AJV = {"validate": "ajv"}

SCRIPT = """
import { readFileSync } from "node:fs";
import { producerValidator, readerValidator } from "./validation.js";
const verdicts = [];
for (const line of readFileSync(0, "utf8").split("\\n").filter(Boolean)) {
  const [urn, data] = JSON.parse(line);
  verdicts.push([producerValidator, readerValidator].map((validator) => validator(urn)(data)));
}
console.log(JSON.stringify(verdicts));
"""


@pytest.fixture(scope="module")
def modules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with Ajv and the compiler."""
    folder = tmp_path_factory.mktemp("ajv")
    npm.install(folder, "ajv@8", "typescript@5.9")
    return folder / "node_modules"


def compiled(registry: Registry, folder: Path, modules: Path, **texts: str) -> Path:
    """Write and compile the target's files with Ajv; return the folder of the compiled ones."""
    folder.mkdir(exist_ok=True)
    (folder / "node_modules").symlink_to(modules)
    written(registry, folder, options=AJV, emit=True, **texts)
    assert errors(modules / ".bin/tsc", folder) == []
    return folder / "dist"


def verdicts(registry: Registry, folder: Path, modules: Path, cases: list[tuple[str, Any]]) -> list[list[bool]]:
    """Return whether Ajv accepts each of ``cases``, pairs of a URN and data: by the view of producers, and of readers."""
    dist = compiled(registry, folder, modules)
    (dist / "verdicts.js").write_text(SCRIPT)
    lines = "".join(json.dumps(case) + "\n" for case in cases)
    answers: list[list[bool]] = json.loads(npm.node(dist, "verdicts.js", input=lines))
    return answers


def our_verdicts(registry: Registry, cases: list[tuple[str, Any]]) -> list[list[bool]]:
    """Return what :func:`verdicts` does, by the contract of the runtime."""
    strict = [each.urn for each in registry.messages if registry.compatibility(each.context).reader == "strict"]
    contracts = [Contract(registry.schemas, strict=strict, side=side) for side in ("producer", "reader")]
    return [[contract.data_verdict(urn, data).ok for contract in contracts] for urn, data in cases]


def differing(registry: Registry, folder: Path, modules: Path, cases: list[tuple[str, Any]]) -> list[Any]:
    """Return the cases about which Ajv and we differ, with our verdicts."""
    pairs = zip(cases, our_verdicts(registry, cases), verdicts(registry, folder, modules, cases), strict=True)
    return [(urn, data, ours) for (urn, data), ours, theirs in pairs if ours != theirs]


def doubles(value: Any) -> Any:
    """Return ``value`` with the numbers that JavaScript has."""
    if isinstance(value, dict):
        return {name: doubles(member) for name, member in value.items()}
    if isinstance(value, list):
        return [doubles(item) for item in value]
    return float(value) if isinstance(value, int) and not isinstance(value, bool) and abs(value) > 2**53 else value


def of(*cases: tuple[Any, list[Any]]) -> tuple[Registry, list[tuple[str, Any]]]:
    """Return a registry with a message for each schema, and its data."""
    registry = hostile.registry({str(number): ("x", schema) for number, (schema, _) in enumerate(cases)})
    return registry, [
        (f"urn:babel:hostile:case{number}", doubles(each)) for number, (_, data) in enumerate(cases) for each in data
    ]


def of_values(*cases: tuple[Any, list[Any]]) -> tuple[Registry, list[tuple[str, Any]]]:
    """Return the same for schemas of a value, which is a property of the data."""
    return of(
        *(
            ({"type": "object", "properties": {"v": schema}}, [{"v": value} for value in values])
            for schema, values in cases
        )
    )


def test_examples_and_counterexamples(tmp_path: Path, modules: Path) -> None:
    registry = load.registry(ROOT / "registry.example")
    cases = [(message.urn, each.data) for message in generated_messages(registry) for each in message.examples]
    wrong = [(message.urn, each.data) for message in generated_messages(registry) for each in message.counterexamples]
    more = [(urn, {**data, "undeclared": 1}) for urn, data in cases if isinstance(data, dict)]
    assert len(cases) > 10
    assert len(wrong) > 5
    assert differing(registry, tmp_path, modules, [*cases, *wrong, *more]) == []


def test_documents_of_sixty_schemas_by_each_of_them(tmp_path: Path, modules: Path) -> None:
    schemas = drawn()
    # The documents of other schemas, too: of its own ones, a schema refuses few.
    documents = [[*each.valid, *each.refused] for each in schemas]
    foreign = [[each.valid[at % len(each.valid)] for each in schemas] for at in range(len(schemas))]
    cases = [(each.schema, [*own, *others]) for each, own, others in zip(schemas, documents, foreign, strict=True)]
    registry, data = of(*cases)
    assert len(data) > 4_000
    assert differing(registry, tmp_path, modules, data) == []


_TEXTS = [
    "",
    "a",
    "ab",
    "é",
    "😀",
    "1",
    "a-b",
    "a b",
    "a\rb",
    "a\u2028b",
    "aé",
    "a_",
    "a@",
    "{",
    "]",
    "[",
    "\n",
    "\x00",
]
_VALUES = [None, True, 0, -0.0, 1, 1.0, 1.5, 1e300, "", "1", [], [1], [1, 1.0], [[1], [True]], {}, {"a": 1}]
_NAMES = ["__proto__", "constructor", "valueOf", "toString", "hasOwnProperty", "a"]
_OBJECTS = [{}, *({name: value} for name in _NAMES for value in (1, "x", {"a": 1}))]
_SAME = [
    {"valueOf": 1},
    {"constructor": {}},
    {"__proto__": 1},
    {"a": 1, "b": [2]},
    {"b": [2.0], "a": 1},
    [],
    {},
    0,
    "0",
]

KEYWORDS: dict[str, tuple[Any, list[Any]]] = {
    "multiples": ({"multipleOf": 0.01}, [0.07, 0.29, 1.1, 1e300, 1e-7, 0.015, 0, -0.07, 4.35, "x"]),
    "multiples of whole numbers": ({"multipleOf": 3}, [3, 4, 9.0, 1e15, 9007199254740990, 0.3, -3]),
    "tiny multiples": ({"multipleOf": 1e-9}, [123456789.12345679, 1e-9, 1.5e-9, 5e-324, 1.7976931348623157e308]),
    "bounds": ({"minimum": 0.1, "exclusiveMaximum": 2}, [0.1, 0.09999999999999999, 2, 2.0, 1.9999999999999998]),
    "integers": ({"type": "integer"}, [1, 1.0, 1.5, 1e20, -0.0, "1", True, None]),
    "equal values": ({"const": {"a": 1, "b": [2]}}, _SAME),
    "listed values": ({"enum": [{"valueOf": 1}, 0, {"__proto__": 1}]}, _SAME),
    "unique items": ({"uniqueItems": True}, [[each, other] for each in _SAME for other in _SAME]),
    "items that need not differ": ({"uniqueItems": False}, [[1, 1]]),
    "lengths in characters": ({"minLength": 2, "maxLength": 2}, ["😀", "😀😀", "é", "ab", "👩‍👩"]),
    "names of the prototype": ({"required": _NAMES[:1]}, _OBJECTS),
    "names of the prototype with schemas": (
        {"properties": {key: {"type": "string"} for key in _NAMES}, "additionalProperties": {"type": "object"}},
        _OBJECTS,
    ),
    "names that depend on each other": ({"dependentRequired": {"constructor": ["valueOf"]}}, _OBJECTS),
    "names by a pattern": ({"propertyNames": {"pattern": "^_"}}, _OBJECTS),
    "patterns of names": ({"patternProperties": {".": {"type": "integer"}}, "additionalProperties": {"type": "null"}},
                          [*_OBJECTS, {"": None}, {"": 1}, {"\n": 1}, {"\n": None}, {"\r": None}]),
    "an open enum": ({"type": "string", "enum": ["a"], "x-open-enum": True}, ["a", "b", 1]),
    "annotations that Ajv would apply": ({"type": "integer", "nullable": True, "$async": True, "discriminator": {}}, _VALUES),
    "formats for people": ({"type": "integer", "format": "int32"}, [2**40, 1]),
    "formats for people of texts": ({"type": "string", "format": "byte"}, ["not base64", ""]),
    "content": ({"contentEncoding": "base64", "contentMediaType": "application/json"}, ["%", "e30=", "{"]),
    "unevaluated properties": (
        {"anyOf": [{"properties": {"a": {"const": 1}}, "required": ["a"]}, {"properties": {"valueOf": {}}}],
         "unevaluatedProperties": {"type": "string"}}, _OBJECTS),
    "unevaluated items": (
        {"prefixItems": [{}], "unevaluatedItems": {"type": "boolean"}},
        [[], [0, 1], [1, True], [0, True, 2], [0, False, True]],
    ),
    "numbers of contained items": ({"contains": {"const": 1}, "minContains": 0, "maxContains": 1}, [[], [1], [1, 1], [2]]),
    "all or none": ({"oneOf": [{"type": "integer"}, {"minimum": 2}]}, _VALUES),
    "dependencies of older dialects": ({"dependencies": {"a": ["b"], "b": {"required": ["c"]}}},
                                       [{"a": 1}, {"a": 1, "b": 1}, {"a": 1, "b": 1, "c": 1}, {}]),
    "anchors": ({"$defs": {"x": {"$anchor": "here", "type": "integer"}}, "$ref": "#/properties/v/$defs/x"}, [1, "x"]),
    "nothing": (False, [1]),
}  # fmt: skip


def test_keywords(tmp_path: Path, modules: Path) -> None:
    registry, cases = of_values(*KEYWORDS.values())
    names = {f"urn:babel:hostile:case{number}": name for number, name in enumerate(KEYWORDS)}
    found = differing(registry, tmp_path, modules, cases)
    assert [(names[urn], data, ours) for urn, data, ours in found] == []


PATTERNS = [
    "^[a-z]+$", "^.$", "^..$", "a.b", ".", "^[^a]$", r"^\w+$", r"^\W$", r"^\d$", r"^\s$", r"\bé", r"a\b", r"\B", r"^\@|\_$", r"a\-b",
    r"^[\-a]$", r"^[\w.\-]+$", "]", "}", "[[]", "[]a]", "[a&&b]", r"^\p{L}+$", r"^\P{L}$", r"\u{1f600}", r"\u00e9", r"\xe9", r"\n",
    r"^a{1,2}$", r"^(?:a|b)*$", r"^(?=a)a", r"(?<!a)b", r"^\/$", r"\$", r"a\ b", r"^\S+$", "é", "^$", "", r"[\n]", r"[^\n]", r"\.",
    "^(?<year>a)$", r"^[\d_]+$", r"[.]", r"\{", r"(a)(b)", r"a\+?",
]  # fmt: skip


def test_patterns(tmp_path: Path, modules: Path) -> None:
    registry, cases = of_values(*(({"pattern": pattern}, _TEXTS) for pattern in PATTERNS))
    found = differing(registry, tmp_path, modules, cases)
    assert [(PATTERNS[int(urn.rpartition("case")[2])], data, ours) for urn, data, ours in found] == []


_FORMAT_PIECES = {
    "date": ["2024", "2023", "1900", "0000", "-", "-", "02", "29", "12", "31", "00", "13", "1", "٣"],
    "time": ["23", "59", "60", "00", "24", ":", ":", ".", "5", "Z", "z", "+", "-", "01", "12"],
    "duration": ["P", "T", "1", "12", "Y", "M", "D", "W", "H", "S", "."],
    "email": ["a", "ab", ".", "@", "@", "-", "_", "b.example", "[127.0.0.1]", "[IPv6:::1]", '"', "\\", " ", "é", "x" * 63, "<", ">"],
    "hostname": ["a", "xn--", "bcher-kva", "-", ".", "--", "A", "_", "9", "x" * 62, "é", "zca", " "],
    "ipv4": ["1", "01", "255", "256", ".", ".", "0", "a", " "],
    "ipv6": [":", "::", ":", "1", "fffe", "0", "g", "1.2.3.4", "12345", "%1", "["],
    "uri": ["http", "a", ":", "/", "//", "?", "#", "[::1]", "[v1.a]", "[", "@", "%41", "%4", " ", "é", "80", "\\", "{", "urn:x:y", "..", "\ue000"],
    "uuid": ["2eb8aa08", "-", "aa98", "11ea", "B4AA", "73b441d16380", "urn:uuid:", "g"],
    "uri-template": ["{", "}", "a", ".", ",", "+", "#", ":", "1", "99999", "*", "%41", "%", "é", " ", "'", "_", "/", "\x7f"],
    "json-pointer": ["/", "~", "~0", "~1", "a", "0", "01", "#", "é", "~2", ""],
    "regex": ["a", "(", ")", "[", "]", "*", "\\d", "{1}", "|", "^", "$"],
}  # fmt: skip
_ALIKE = {
    "date-time": ["date", "time"], "idn-email": ["email"], "idn-hostname": ["hostname"], "iri": ["uri"],
    "uri-reference": ["uri"], "iri-reference": ["uri"], "relative-json-pointer": ["json-pointer"],
}  # fmt: skip
_FORMAT_TEXTS = [
    "2024-02-29", "2023-02-29", "2024-02-29T23:59:60Z", "2024-02-29t00:59:60+01:00", "2024-02-29 00:00:00Z", "12:00:00",
    "12:00:00+0100", "12:00:00.Z", "23:59:60Z", "22:59:60-01:00", "P1Y2M3DT4H5M6S", "P1YT1S", "PT1H1S", "P1W", "P1W1D", "PT", "P",
    "jo@example.com", '"jo hn"@example.com', "jo@[127.0.0.1]", "jo@[IPv6:::1]", "Jo <jo@example.com>", "jo@localhost", "é@example.com",
    "jo@bücher.example", "xn--bcher-kva.example", "bücher.example", "xn--a", "xn--ls8h", "a" * 64, "example.com.", "1.2.3.4", "::ffff:1.2.3.4",
    "::1", "1::2::3", "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7::", "http://example.com/a?b#c", "http://[::1]:80/", "a:b", "//a", "a b", "/a%20b", "é",
    "http://é/", "mailto:a@b", "1a:b", "2eb8aa08-aa98-11ea-b4aa-73b441d16380", "{a}", "{+a,b:3}", "{a.b*}", "/a~1b", "0#", "1/a", "01/a", "^a$",
]  # fmt: skip


@st.composite
def _format_text(draw: st.DrawFn, name: str) -> str:
    pieces = [piece for alike in _ALIKE.get(name, [name]) for piece in _FORMAT_PIECES[alike]]
    drawn_pieces = draw(st.lists(st.sampled_from(pieces), max_size=11))
    if name == "date-time":
        drawn_pieces.insert(len(drawn_pieces) // 2, "T")
    return "".join(drawn_pieces)


def _format_texts(name: str, number: int) -> list[str]:
    texts: list[str] = list(_FORMAT_TEXTS)

    @settings(max_examples=number, database=None, derandomize=True, deadline=None)
    @given(_format_text(name))
    def draw(text: str) -> None:
        texts.append(text)

    draw()
    return list(dict.fromkeys(texts))


EQUAL_FORMATS = sorted(FORMATS)


def test_formats(tmp_path: Path, modules: Path) -> None:
    texts = {name: _format_texts(name, 300) for name in EQUAL_FORMATS}
    registry, cases = of_values(*(({"format": name}, texts[name]) for name in EQUAL_FORMATS))
    found = differing(registry, tmp_path, modules, cases)
    assert [(EQUAL_FORMATS[int(urn.rpartition("case")[2])], data["v"], ours) for urn, data, ours in found] == []


def test_schemas_of_draft_07(tmp_path: Path, modules: Path) -> None:
    schema = {
        "$schema": DRAFT_07, "type": "object", "definitions": {"id": {"type": "integer"}},
        "properties": {
            "a": {"$ref": "#/definitions/id", "minimum": 5}, "b": {"items": [{"type": "string"}], "additionalItems": False},
            "c": {"format": "uuid"}, "d": {"format": "date"}, "e": {"dependencies": {"x": ["y"]}},
        },
    }  # fmt: skip
    data = [{"a": 1}, {"a": "x"}, {"b": ["x"]}, {"b": ["x", 1]}, {"b": [1]}, {"c": "no"}, {"d": "no"}, {"e": {"x": 1}}]
    assert differing(*_with_cases(tmp_path, modules, of((schema, data)))) == []


def _with_cases(folder: Path, modules: Path, made: tuple[Registry, list[tuple[str, Any]]]) -> tuple[Any, ...]:
    registry, cases = made
    return registry, folder, modules, cases


USES = """
import { urns, type Handlers, type OrdersCreatedV2, type Publisher } from "./index.js";
import { InvalidDataError, producerValidator, readerValidator, validatedHandlers, validatedPublisher } from "./validation.js";
import type { BabelHandlers } from "./sdk.js";

declare const console: { log(...values: unknown[]): void };
const data: unknown = { order_id: 1, total: { minor: 5, currency: "EUR" } };
const validate = readerValidator(urns.OrdersCreatedV2);
if (validate(data)) console.log("narrowed", data.total.minor);
if (!validate({ order_id: "x" })) console.log("refused", validate.errors?.[0]?.keyword);

const handled: OrdersCreatedV2[] = [];
const handlers: Handlers = { [urns.OrdersCreatedV2]: ({ data }) => handled.push(data) };
const checked: BabelHandlers = validatedHandlers(handlers);
const meta = { id: "i", queue: "q", lang: "node", schema_version: 1, created_at: 1 };
async function arrive(data: Record<string, unknown>): Promise<void> {
  const envelope = { job: urns.OrdersCreatedV2, trace_id: "t", data, meta, attempts: 0 };
  await checked[urns.OrdersCreatedV2]?.(envelope, JSON.stringify(envelope));
}
await arrive({ order_id: 1, total: { minor: 5, currency: "EUR" }, later: true });
await arrive({ order_id: 0, total: { minor: 5, currency: "EUR" } }).catch((error: unknown) => {
  if (error instanceof InvalidDataError) console.log("rejected", error.urn, error.message);
});
console.log("handled", handled.length);

const sent: unknown[] = [];
const publisher: Publisher = validatedPublisher({ publish: async (urn, data) => String(sent.push([urn, data])) });
const order: OrdersCreatedV2 = { order_id: 1, total: { minor: 5, currency: "EUR" } };
console.log("sent", await publisher.publish(urns.OrdersCreatedV2, order));
const undeclared = { ...order, later: true };
await publisher.publish(urns.OrdersCreatedV2, undeclared).catch((error: unknown) => console.log("not sent", String(error)));
console.log("producer", producerValidator(urns.OrdersCreatedV2)(undeclared), sent.length);
"""
WRONG = {
    "data that was not validated": "const x = (data: unknown) => data.total;",
    "refused data": "const x = (d: unknown) => readerValidator(urns.OrdersCreatedV2)(d) ? 1 : d.total;",
    "an undeclared property of accepted data": "const x = (d: unknown) => readerValidator(urns.OrdersCreatedV2)(d) && d.totals;",
    "a URN that is none": "readerValidator('urn:babel:orders:create');",
    "data of another message": "const x = (d: unknown) => readerValidator(urns.OrdersCancelled)(d) && d.total;",
    "handlers of no message": "validatedHandlers({ 'urn:babel:orders:create': () => 1 });",
    "a publisher of other data": "validatedPublisher({ publish: async (urn: string, data: string) => '' });",
    "data of another message, sent": "(p: Publisher) => validatedPublisher(p).publish(urns.OrdersCancelled, { order_id: 'x' });",
}


def test_validators_narrow_types_and_guard_handlers_and_publishers(tmp_path: Path, modules: Path) -> None:
    registry = load.registry(ROOT / "registry.example")
    dist = compiled(registry, tmp_path, modules, uses=USES, sdk=node_sdk.TYPES)
    assert npm.node(dist, "uses.js").splitlines() == [
        "narrowed 5",
        "refused required",
        "rejected urn:babel:orders:created.v2 the data of urn:babel:orders:created.v2 is invalid: /order_id must be >= 1",
        "handled 1",
        "sent 1",
        "not sent InvalidDataError: the data of urn:babel:orders:created.v2 is invalid: it must NOT have additional properties",
        "producer false 1",
    ]


def test_the_validators_of_the_manual_compile(tmp_path: Path, modules: Path) -> None:
    page = (ROOT / "docs/typescript.md").read_text("utf-8").partition("## Validate with Ajv")[2]
    text = page.partition("```ts\n")[2].partition("```")[0]
    assert "validatedHandlers(handlers)" in text
    for path, content in starter.registry_files(tmp_path / "registry", "orders", "team-orders").items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, "utf-8")
    folder = tmp_path / "src"
    (folder / "messages").mkdir(parents=True)
    (folder / "node_modules").symlink_to(modules)
    written(load.registry(tmp_path / "registry"), folder, out="messages", options=AJV, manual=text)
    (folder / "sdk.d.ts").write_text(
        f'declare module "@babelqueue/redis" {{ {node_sdk.TYPES.replace("declare ", "")} }}'
    )
    assert errors(modules / ".bin/tsc", folder) == []


def test_wrong_uses_of_validators_do_not_compile(tmp_path: Path, modules: Path) -> None:
    before = """
import { urns, type Publisher } from "./index.js";
import { readerValidator, validatedHandlers, validatedPublisher } from "./validation.js";
"""
    registry = load.registry(ROOT / "registry.example")
    (tmp_path / "node_modules").symlink_to(modules)
    wrong = {f"wrong{number}": f"{before}{{ {line} }}\n" for number, line in enumerate(WRONG.values())}
    written(registry, tmp_path, options=AJV, **wrong)
    refused = {line.partition(".ts(")[0] for line in errors(modules / ".bin/tsc", tmp_path)}
    assert refused == {f"wrong{number}" for number in range(len(WRONG))}
