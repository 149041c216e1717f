"""The envelopes of valid messages as a Python UDF tells them: ``json`` and ``jsonschema[format]``, one by one.

What a team would write: parse, look at the envelope, validate ``data`` against the schema of its URN, formats too; what
is refused goes with its reason. The schemas are the views that readers have, as ingest has them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from spark_floor import Envelopes, lines

from babelreg.contract import views
from babelreg.schema.dialects import identify

_MADE = (
    "urn string, message_id string, trace_id string, created_at bigint, lang string, queue string, attempts bigint, "
    "data string, reason string"
)


def validated(source: Path, schemas: Mapping[str, Any]) -> Envelopes:
    """The envelopes with ``reason`` beside them, null where a message is valid; ``urn`` is null where it is not."""
    seen = {urn: views.reader_view(schema, identify(schema)) for urn, schema in schemas.items()}

    def envelopes(spark: Any) -> Any:
        from pyspark.sql import functions as F

        judged = lines(spark, source).select(
            F.udf(_judge(seen), _MADE)("value").alias("e"), F.col("_metadata.file_name").alias("source_file")
        )
        return judged.select(
            "e.urn",
            "e.message_id",
            "e.trace_id",
            F.timestamp_millis("e.created_at").alias("created_at"),
            "e.lang",
            "e.queue",
            "e.attempts",
            "source_file",
            F.lit(None).cast("bigint").alias("source_offset"),
            "e.data",
            "e.reason",
        )

    return envelopes


def _judge(schemas: Mapping[str, Any]) -> Callable[[str], tuple[Any, ...]]:
    validators: dict[str, Any] = {}

    def judge(line: str) -> tuple[Any, ...]:
        import json

        from jsonschema import Draft202012Validator

        def refused(reason: str) -> tuple[Any, ...]:
            return (*(None,) * 8, reason)

        try:
            message = json.loads(line)
        except ValueError:
            return refused("invalid_json")
        if not isinstance(message, dict):
            return refused("root_not_an_object")
        urn, trace_id, meta = message.get("job"), message.get("trace_id"), message.get("meta")
        data, attempts = message.get("data"), message.get("attempts")
        if not isinstance(meta, dict) or meta.get("schema_version") != 1:
            return refused("unsupported_schema_version")
        if not isinstance(data, dict):
            return refused("invalid_data")
        if not isinstance(trace_id, str) or not trace_id.strip():
            return refused("missing_trace_id")
        if type(attempts) is not int or attempts < 0:
            return refused("invalid_attempts")
        if type(meta.get("created_at")) is not int:
            return refused("not_an_int64")
        if any(not isinstance(meta.get(name), str) for name in ("id", "lang", "queue")):
            return refused("wrong_member_type")
        if urn not in schemas:
            return refused("unknown_urn")
        if urn not in validators:
            checker = Draft202012Validator.FORMAT_CHECKER
            validators[urn] = Draft202012Validator(schemas[urn], format_checker=checker)
        if not validators[urn].is_valid(data):
            return refused("invalid")
        written = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
        return urn, meta["id"], trace_id, meta["created_at"], meta["lang"], meta["queue"], attempts, written, None

    return judge
