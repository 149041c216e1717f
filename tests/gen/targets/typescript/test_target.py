from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from babelreg import load
from babelreg.errors import BabelregError, UsageError
from babelreg.gen.target import files_by_path
from babelreg.gen.targets.typescript import target
from babelreg.model import Message, Registry, Urn

ROOT = Path(__file__).resolve().parents[4]
EXAMPLE = ROOT / "registry.example"
GOLDEN = ROOT / "tests" / "golden" / "typescript"


def texts(registry: Registry, **options: Any) -> dict[str, str]:
    return {path: file.text for path, file in files_by_path(target.files(registry, options)).items()}


class Source:
    path = "orders/x.yaml"

    def place(self, pointer: Any, *, key: bool = False) -> None:
        return None


def of(*urns: str, schema: Any = None, **more: Any) -> Registry:
    """Return a registry with messages of ``urns``."""
    data = schema or {"type": "object"}
    messages = tuple(
        Message(urn=urn, parsed=Urn.parse(urn), source=Source(), data=data, schema=data, **more)  # type: ignore[arg-type]
        for urn in urns
    )
    return Registry("", messages=messages)


@pytest.mark.parametrize("name", ["index.ts", "orders/created.v2.ts", "billing/payment.captured.ts"])
def test_what_a_user_reads(name: str) -> None:
    text = texts(load.registry(EXAMPLE))[name]
    golden = GOLDEN / name
    if os.environ.get("BABELREG_GOLDEN") == "write":
        golden.parent.mkdir(parents=True, exist_ok=True)
        golden.write_text(text, "utf-8")
    assert text == golden.read_text("utf-8"), "read the difference; BABELREG_GOLDEN=write pytest accepts it"


@pytest.mark.parametrize(
    "more, line",
    [
        pytest.param({"status": "deprecated"}, " * @deprecated\n", id="without a date"),
        pytest.param({"status": "deprecated", "sunset": "2030-06-30"}, " * @deprecated Goes away on 2030-06-30.\n",
                     id="with its sunset"),
        pytest.param({"status": "active"}, None, id="an active one is not"),
    ],
)  # fmt: skip
def test_a_deprecated_message_is_deprecated_in_editors(more: dict[str, str], line: str | None) -> None:
    text = texts(of("urn:babel:orders:x", **more))["orders/x.ts"]
    assert (line or "@deprecated") in text if line else "@deprecated" not in text


def test_a_service_sends_what_it_produces_and_handles_all_that_it_consumes() -> None:
    produced, consumed = "urn:babel:orders:sent", "urn:babel:orders:read"
    options = {"service": "shop", "produces": (produced,), "consumes": (consumed,)}
    index = texts(of(produced, consumed), **options)["index.ts"]
    assert f'export type Produced =\n  | "{produced}";' in index
    assert f'export type Consumed =\n  | "{consumed}";' in index
    assert "readonly [U in Consumed]: Handler<U>" in index


def test_two_messages_of_one_name_are_refused() -> None:
    with pytest.raises(BabelregError, match="would both be OrdersAB in TypeScript"):
        texts(of("urn:babel:orders:a-b", "urn:babel:orders:a_b"))


def test_retired_messages_are_left_out() -> None:
    assert list(texts(of("urn:babel:orders:x", status="retired"))) == ["index.ts"]


def _schema_module(schema: Any) -> str:
    return texts(of("urn:babel:orders:x", schema=schema), validate="ajv")["orders/x.schema.ts"]


def test_validators_have_both_views_of_each_message() -> None:
    made = texts(load.registry(EXAMPLE), validate="ajv")
    assert {"validation.ts", "keywords.ts", "formats.ts", "orders/created.v2.schema.ts"} <= made.keys()
    producer, reader = made["orders/created.v2.schema.ts"].split("export const reader")
    assert '"additionalProperties": false' in producer
    assert '"additionalProperties": false' not in reader


def test_without_the_option_nothing_needs_ajv() -> None:
    assert not [path for path, text in texts(load.registry(EXAMPLE)).items() if "ajv" in text]


def test_keywords_that_refuse_nothing_are_left_out() -> None:
    annotated = {"type": "string", "nullable": True, "$async": True, "format": "int32", "title": "t", "x-a": 1}
    module = _schema_module({"type": "object", "properties": {"a": annotated}, "examples": [{}]})
    assert not [word for word in ("nullable", "$async", "int32", "title", "x-a", "examples") if word in module]


@pytest.mark.parametrize(
    "schema, reason",
    [
        pytest.param({"properties": {"a": {"pattern": "(?i)a"}}}, "write the letters of both cases", id="a flag"),
        pytest.param({"properties": {"a": {"contains": {}, "unevaluatedItems": False}}}, "unevaluatedItems", id="items"),
        pytest.param({"$schema": "http://json-schema.org/draft-07/schema#",
                      "properties": {"a": {"contentEncoding": "base64"}}}, "contentEncoding", id="content of draft-07"),
        pytest.param({"anyOf": [{"$ref": "#"}, {"required": ["a"]}]}, "refers to itself", id="a circle at the root"),
        pytest.param({"properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"not": {"$ref": "#/$defs/a"}}}},
                     "refers to itself", id="a circle in a definition"),
    ],
)  # fmt: skip
def test_what_ajv_cannot_judge_as_we_do_is_refused(schema: Any, reason: str) -> None:
    with pytest.raises(BabelregError, match=reason) as error:
        _schema_module({"type": "object", **schema})
    assert "urn:babel:orders:x" in str(error.value)


def test_a_circle_is_reported_where_it_is_written(tmp_path: Path) -> None:
    files = {
        "babelreg.yaml": "version: 1\n",
        "_common/tree.yaml": "type: object\nallOf:\n  - required: [id]\n  - $ref: '#'\n",
        "orders/x.yaml": "urn: urn:babel:orders:x\nkind: event\ndata:\n  type: object\n  properties: {tree: {$ref: ../_common/tree.yaml}}\n",
    }
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    with pytest.raises(BabelregError) as error:
        texts(load.registry(tmp_path), validate="ajv")
    assert error.value.place is not None
    assert (error.value.place.path, error.value.place.line) == ("_common/tree.yaml", 4)
    assert "remove --validate" in (error.value.fix or "")


def test_another_validator_is_refused() -> None:
    with pytest.raises(UsageError, match="validate cannot be 'zod'"):
        texts(of("urn:babel:orders:x"), validate="zod")


def test_a_property_called_like_the_prototype_stays_a_property() -> None:
    module = _schema_module({"type": "object", "properties": {"__proto__": {"const": {"__proto__": 1}}}})
    assert '"^__proto__$"' in module
    assert '["__proto__"]: 1' in module
    assert '  "__proto__":' not in module


def test_handlers_of_a_message_with_aliases_are_found_under_each() -> None:
    registry = of("urn:babel:web:clicked", aliases=("Web.Clicked",))
    index, validation = texts(registry)["index.ts"], texts(registry, validate="ajv")["validation.ts"]
    assert '  "Web.Clicked": "urn:babel:web:clicked",\n' in index
    assert "export function withAliases" in index
    assert "return withAliases(validated);" in validation
    assert "liases" not in "".join(texts(of("urn:babel:web:clicked"), validate="ajv").values())
