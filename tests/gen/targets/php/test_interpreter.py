"""PHP takes what is generated, and documents come back equal. Needs PHP 8.2 or later, with its extension mbstring."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import hostile
import pytest
from drawn_schemas import drawn
from php_project import php, phpstan, phpstan_errors, written
from published_schemas import published

from babelreg import load
from babelreg.gen.target import generated_messages

ROOT = Path(__file__).resolve().parents[4]


pytestmark = pytest.mark.servers

# For each line: through the object, through the SDK's arrays, through the SDK's envelope, and through all accessors.
_ROUND_TRIP = r"""<?php
declare(strict_types=1);
require 'autoload.php';

use BabelQueue\Codec\EnvelopeCodec;
use BabelQueue\Transport\InMemoryTransport;
use BabelQueue\Transport\Received;
use BabelQueue\Transport\ReceivedWithBody;

function rebuilt(Messages\JsonObject $object): Messages\JsonObject
{
    $again = $object;
    foreach (get_class_methods($object) as $method) {
        if (!str_starts_with($method, 'get') || in_array($method, ['getExtra', 'getBabelUrn'], true)) {
            continue;
        }
        $word = substr($method, 3);
        $there = !method_exists($object, "has{$word}") || $object->{"has{$word}"}();
        $value = $object->{$method}();
        if (!$there) {
            assert($value === null);
            continue;
        }
        if (method_exists($again, "without{$word}")) {
            $again = $again->{"without{$word}"}();
        }
        $value = $value instanceof Messages\JsonObject ? rebuilt($value) : $value;
        if (is_array($value)) {
            $value = array_map(fn ($each) => $each instanceof Messages\JsonObject ? rebuilt($each) : $each, $value);
        }
        $again = $again->{"with{$word}"}($value);
    }
    foreach ($object->getExtra() as $name => $value) {
        $again = $again->withoutExtra((string) $name)->withExtra((string) $name, $value);
    }

    return $again;
}

function shown(callable $make): string
{
    try {
        return $make();
    } catch (Messages\InvalidData $error) {
        return json_encode([$error->getMessage()], JSON_THROW_ON_ERROR);
    }
}

while (($line = fgets(STDIN)) !== false) {
    [$urn, $json] = explode("\t", rtrim($line, "\n"), 2);
    $class = Messages\Registry::MESSAGES[$urn];
    $transport = new InMemoryTransport();
    $message = null;
    $results = [
        shown(function () use ($class, $json, &$message): string {
            return ($message = $class::fromJson($json))->toJson();
        }),
        shown(fn (): string => $class::fromData(json_decode($json, true))->toJson()),
    ];
    if ($message !== null) {
        $results[] = shown(fn (): string => rebuilt($message)->toJson());
        (new Messages\Publisher($transport))->publish($message, 'queue');
        [$body] = $transport->queues['queue'];
        $results[] = $class::fromMessage(new ReceivedWithBody($body))->toJson();
        $results[] = $class::fromMessage(new Messages\Received($body))->toJson();
        $results[] = json_encode(json_decode($body)->data, JSON_THROW_ON_ERROR);
        $results[] = shown(fn (): string => $class::fromMessage(new Received($body))->toJson());
        $results[] = EnvelopeCodec::encode($message->toPayload());
        assert($message->toJson() === $class::fromJson($json)->toJson());
    }
    echo implode("\t", $results), "\n";
}
"""
_WAYS = (
    "read",
    "arrays read",
    "accessors",
    "sent with its body",
    "envelope",
    "sent",
    "sent without its body",
    "payload",
)
_THROUGH_ARRAYS = ("arrays read", "sent without its body")


def returned(registry: Any, folder: Path, documents: list[tuple[str, str]]) -> list[dict[str, str]]:
    """Return the texts of ``documents``, pairs of a URN and JSON, by the way they went through generated classes."""
    written(registry, folder, roundtrip=_ROUND_TRIP)
    lines = "".join(f"{urn}\t{text}\n" for urn, text in documents)
    done = php(folder, "-d", "zend.assertions=1", "roundtrip.php", text=lines)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr[-2000:]
    return [dict(zip(_WAYS, line.split("\t"), strict=False)) for line in done.stdout.removesuffix("\n").split("\n")]


def tagged(value: Any) -> Any:
    """Return a JSON value in which true differs from 1, but 1.0 does not; beyond 64 bits, integers are floats."""
    if isinstance(value, dict):
        return {name: tagged(each) for name, each in value.items()}
    if isinstance(value, list):
        return [tagged(each) for each in value]
    if isinstance(value, bool):
        return ("bool", value)
    return float(value) if isinstance(value, int) and not -(2**63) <= value < 2**63 else value


def changed(documents: list[tuple[str, Any]], folder: Path, registry: Any, ways: tuple[str, ...] = _WAYS) -> list[Any]:
    """Return the documents that did not come back equal, with the way and what came."""
    texts = returned(registry, folder, [(urn, json.dumps(data)) for urn, data in documents])
    return [
        (way, document, result.get(way))
        for (_, document), result in zip(documents, texts, strict=True)
        for way in ways
        if way not in result or not _same(result[way], document, way)
    ]


def _same(text: str, document: Any, way: str) -> bool:
    """Return True for an equal document, and for an integer that accessors refuse because PHP has no such one."""
    if way == "accessors" and text.endswith(': not an integer of 64 bits"]'):
        return _has_large_integer(document)
    found, sent = tagged(json.loads(text)), tagged(document)
    if way == "payload" and isinstance(found, list):  # an array, as the SDK's interface has it
        found = {str(number): each for number, each in enumerate(found)}
    return bool(found == sent or (way in _THROUGH_ARRAYS and _as_lists(found) == _as_lists(sent)))


def _has_large_integer(value: Any) -> bool:
    if isinstance(value, (dict, list)):
        return any(map(_has_large_integer, value.values() if isinstance(value, dict) else value))
    return isinstance(value, (int, float)) and not -(2**63) <= value < 2**63


def _as_lists(value: Any) -> Any:
    """Return a document with lists for the objects that PHP's arrays do not tell from one: empty, or with 0, 1 ... as names."""
    if isinstance(value, list):
        return [_as_lists(each) for each in value]
    if not isinstance(value, dict):
        return value
    members = {name: _as_lists(each) for name, each in value.items()}
    return list(members.values()) if list(members) == [str(number) for number in range(len(members))] else members


@pytest.fixture(scope="module")
def example():
    return load.registry(ROOT / "registry.example")


def test_every_example_comes_back_equal(example, tmp_path):
    documents = [(message.urn, each.data) for message in generated_messages(example) for each in message.examples]
    assert len(documents) > 10
    assert changed(documents, tmp_path, example) == []


def _has_no_php(document: Any) -> bool:
    """Return True for texts that PHP refuses to decode: an unpaired surrogate, names that begin with a null byte."""
    text = json.dumps(document, ensure_ascii=False)
    return text != text.encode("utf-8", "replace").decode("utf-8") or '"\\u0000' in text


def test_hostile_documents_come_back_equal(tmp_path):
    cases, documents = hostile.cases(), hostile.documents()
    sent = [
        (f"urn:babel:hostile:case{number}", documents[name])
        for number, name in enumerate(cases)
        if name in documents and not _has_no_php(documents[name])
    ]
    assert len(sent) > 90
    assert changed(sent, tmp_path, hostile.registry()) == []


@pytest.mark.parametrize(
    "made, number",
    [
        pytest.param(lambda: [each[:2] for each in drawn()], 1000, id="sixty drawn schemas"),
        pytest.param(published, 600, id="published schemas"),
    ],
)
def test_what_readers_accept_comes_back_equal(made, number, tmp_path):
    schemas = made()
    registry = hostile.registry({str(at): ("x", schema) for at, (schema, _) in enumerate(schemas)})
    documents = [(f"urn:babel:hostile:case{at}", each) for at, (_, valid) in enumerate(schemas) for each in valid]
    assert len(documents) >= number
    assert changed(documents, tmp_path, registry) == []


@pytest.mark.skipif(not phpstan(), reason="no `phpstan` on the path, nor in BABELREG_PHPSTAN")
@pytest.mark.parametrize("name", ["registry.example", "hostile registries", "registries of sane schemas"])
def test_phpstan_finds_nothing(name, example, tmp_path):
    registries = {
        "registry.example": lambda: example,
        "hostile registries": hostile.registry,
        "registries of sane schemas": lambda: hostile.registry({
            str(number): ("x", schema) for number, (schema, *_) in enumerate(drawn())
        }),
    }  # fmt: skip
    written(registries[name](), tmp_path)
    assert phpstan_errors(tmp_path, "src", "sdk.php") == {}


_SHIPPING = {
    "type": "object",
    "properties": {
        "address": {"type": "object", "properties": {"city": {"type": "string"}}},
        "labels": {"type": "object", "additionalProperties": {"type": "integer"}},
        "free": {"type": "object"},
        "stops": {"type": "array", "items": {"type": "object", "properties": {"at": {}}}},
        "either": {"anyOf": [{"type": "array"}, {"type": "object"}]},
        "any": {},
    },
}


@pytest.mark.parametrize("data", [
    pytest.param({"address": {}}, id="an object with properties"),
    pytest.param({"labels": {}}, id="a map"),
    pytest.param({"labels": {"0": 1, "1": 2}}, id="a map with names like positions"),
    pytest.param({"free": {}}, id="an object of which nothing is said"),
    pytest.param({"stops": []}, id="an empty list"),
    pytest.param({"stops": [{}, {"at": [{"a": 1}]}]}, id="items"),
    pytest.param({"either": []}, id="a list or a map is a list"),
    pytest.param({"any": [], "more": [1]}, id="lists of which nothing is said"),
    pytest.param({}, id="data without properties"),
])  # fmt: skip
def test_the_schema_tells_which_empty_arrays_of_the_sdk_are_objects(data, tmp_path):
    registry = hostile.registry({"x": ("x", _SHIPPING)})
    (result,) = returned(registry, tmp_path, [("urn:babel:hostile:case0", json.dumps(data))])
    assert {way: json.loads(text) for way, text in result.items() if way != "payload" or data} == {
        way: data for way in _WAYS if way != "payload" or data
    }


@pytest.mark.parametrize("data", [
    pytest.param({"any": {}}, id="empty"),
    pytest.param({"more": {"0": 1}}, id="with names like positions, undeclared"),
    pytest.param({"either": {}}, id="an object where a list may be"),
])  # fmt: skip
def test_an_object_of_which_the_schema_says_nothing_is_a_list_after_the_arrays_of_the_sdk(data, tmp_path):
    registry = hostile.registry({"x": ("x", _SHIPPING)})
    (result,) = returned(registry, tmp_path, [("urn:babel:hostile:case0", json.dumps(data))])
    lost = {way for way, text in result.items() if json.loads(text) != data}
    assert lost == set(_THROUGH_ARRAYS)


_INTEGERS = {
    "0": "0", "-0": "0", "1": "1", "1.0": "1", "1e0": "1", "1E2": "100", "10e-1": "1", "-1.0": "-1", "-0.0": "0",
    "9007199254740993": "9007199254740993", "9223372036854775807": "9223372036854775807",
    "-9223372036854775808": "-9223372036854775808", "9223372036854775808": "beyond", "1e30": "beyond", "1e308": "beyond",
    "0.1": "refused", "1.5": "refused", "-2.5e-3": "refused", "1e400": "refused", '"1"': "refused", "true": "refused",
    "null": "refused",
}  # fmt: skip
_READ_INTEGERS = r"""<?php
declare(strict_types=1);
require 'autoload.php';

while (($line = fgets(STDIN)) !== false) {
    try {
        $object = Messages\HostileCase0::fromJson("{\"n\":{$line}}");
    } catch (Messages\InvalidData) {
        echo "refused\n";
        continue;
    }
    assert((float) substr($object->toJson(), strlen('{"n":')) === (float) $line);
    try {
        echo $object->getN(), "\n";
    } catch (Messages\InvalidData) {
        echo "beyond\n";
    }
}
"""


def test_integers_are_exact_within_64_bits_and_kept_beyond(tmp_path):
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}}
    written(hostile.registry({"x": ("x", schema)}), tmp_path, read=_READ_INTEGERS)
    done = php(tmp_path, "-d", "zend.assertions=1", "read.php", text="".join(f"{text}\n" for text in _INTEGERS))
    assert done.stderr == ""
    assert dict(zip(_INTEGERS, done.stdout.splitlines(), strict=True)) == _INTEGERS
