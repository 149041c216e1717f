"""PHP takes what is generated, and documents come back equal. Needs PHP 8.2 or later, with its extension mbstring."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import hostile
import jsonschema_rs
import pytest
import sane_schemas as sane
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from php_project import php, phpstan, phpstan_errors, written

from babelreg import load
from babelreg.contract.views import reader_view
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
        $results[] = $class::fromEnvelope($body)->toJson();
        $results[] = json_encode(json_decode($body)->data, JSON_THROW_ON_ERROR);
        $results[] = shown(fn (): string => $class::fromMessage(new Received($body))->toJson());
        $results[] = EnvelopeCodec::encode($message->toPayload());
        assert($message->toJson() === $class::fromJson($json)->toJson());
    }
    echo implode("\t", $results), "\n";
}
"""
_WAYS = ("read", "arrays read", "accessors", "sent with its body", "envelope", "sent", "sent without its body", "payload")
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
    return bool(tagged(json.loads(text)) == tagged(document))


def _has_large_integer(value: Any) -> bool:
    if isinstance(value, (dict, list)):
        return any(map(_has_large_integer, value.values() if isinstance(value, dict) else value))
    return isinstance(value, (int, float)) and not -(2**63) <= value < 2**63


def _is_list_in_php(value: Any) -> bool:
    """Return True for an object with keys like those of a list, and for one that is empty."""
    return isinstance(value, dict) and list(value) == [str(number) for number in range(len(value))]


def _survives_arrays(value: Any) -> bool:
    if _is_list_in_php(value):
        return False
    values = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return all(map(_survives_arrays, values))


@pytest.fixture(scope="module")
def example():
    return load.registry(ROOT / "registry.example")


def test_every_example_comes_back_equal(example, tmp_path):
    documents = [(message.urn, each.data) for message in generated_messages(example) for each in message.examples]
    assert len(documents) > 10
    assert changed(documents, tmp_path, example) == []


def _has_no_php(document: Any) -> bool:
    """Return True for texts that PHP refuses to decode: half a surrogate pair, names that begin with a null byte."""
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
    ways = tuple(way for way in _WAYS if way not in _THROUGH_ARRAYS)
    assert changed(sent, tmp_path, hostile.registry(), ways) == []


def _drawn(number: int) -> list[tuple[Any, list[Any]]]:
    """Return ``number`` schemas with documents that readers accept, the same ones in each run."""
    result: list[tuple[Any, list[Any]]] = []

    @settings(max_examples=number * 4, database=None, derandomize=True, deadline=None, phases=[Phase.generate],
              suppress_health_check=list(HealthCheck))  # fmt: skip
    @given(data=st.data())
    def draw(data: st.DataObject) -> None:
        schema = data.draw(sane.schemas())
        validator = jsonschema_rs.validator_for(reader_view(schema), validate_formats=True)
        documents = [data.draw(sane.documents(schema)) for _ in range(25)]
        valid = [document for document in documents if validator.is_valid(document)]
        if len(valid) > 4 and len(result) < number:
            result.append((schema, valid))

    draw()
    return result


def test_what_readers_accept_comes_back_equal(tmp_path):
    drawn = _drawn(60)
    assert len(drawn) == 60
    registry = hostile.registry({str(number): ("x", schema) for number, (schema, _) in enumerate(drawn)})
    documents = [
        (f"urn:babel:hostile:case{number}", document) for number, (_, valid) in enumerate(drawn) for document in valid
    ]
    assert len(documents) >= 1000
    ways = tuple(way for way in _WAYS if way not in _THROUGH_ARRAYS and way != "payload")
    assert changed(documents, tmp_path, registry, ways) == []
    plain = [(urn, document) for urn, document in documents if _survives_arrays(document)]
    assert len(plain) > 600
    assert changed(plain, tmp_path, registry, (*_THROUGH_ARRAYS, "payload")) == []
