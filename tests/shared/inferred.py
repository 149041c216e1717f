"""Schemas of samples, inferred with the detectors of the command line."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from babelreg.analysis.infer.schema import Decisions, InferredSchema, SchemaInference
from babelreg.analysis.sketch.recordings import add_messages
from babelreg.analysis.sketch.traffic_sketch import TrafficSketch
from babelreg.analysis.sketch.value_sketch import ValueSketch, inferable
from babelreg.cli.shared.inference import inference_options

OPTIONS = inference_options()


def sketched(samples: Iterable[Any], day: int = 0) -> ValueSketch:
    sketch = inferable(OPTIONS.detectors)
    for sample in samples:
        sketch.add(sample, day)
    return sketch


def inferred(samples: Iterable[Any], **decisions: Any) -> InferredSchema:
    inference = SchemaInference(OPTIONS.detectors, OPTIONS.category_of, replace(Decisions(), **decisions))
    return inference.of(sketched(samples))


def schema_of(samples: Iterable[Any], **decisions: Any) -> dict[str, Any]:
    return inferred(samples, **decisions).schema


def envelope(number: int, data: object) -> bytes:
    meta = {"id": f"m-{number}", "queue": f"q{number % 70}", "lang": "go", "schema_version": 1}
    meta["created_at"] = number * 40_000_000
    message = {"job": "urn:babel:a:b", "trace_id": "t", "data": data, "meta": meta, "attempts": 0}
    return json.dumps(message).encode()


def traffic(bodies: list[bytes]) -> TrafficSketch:
    sketch = TrafficSketch(OPTIONS.detectors)
    add_messages(sketch, bodies)
    return sketch
