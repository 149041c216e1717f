"""Record at the tables of which checkpoint reads which source into them.

A checkpoint that is lost or named wrongly reads everything again, under a new application. Duplicates are recognised
then, but quarantine gets its rows twice, and with ``--keep-duplicates`` so does every table. So the log of batches has
a property for each source, and a second checkpoint for it is refused.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

from babelreg.errors import UsageError
from babelreg.spark.platform.formats.table_names import BATCHES, TablePlace
from babelreg.spark.platform.tables.tables import FORMATS
from babelreg.typed_json import typed

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True, slots=True)
class SourceClaim:
    """The checkpoint that reads ``source`` into the tables. ``topics`` are the ids of Kafka's topics by name."""

    source: str
    application: str
    checkpoint: str
    topics: Mapping[str, str]


def check(session: SparkSession, to: str, at: str, source: str, topics: Mapping[str, str], checkpoint: str) -> None:
    """Raise UsageError if another checkpoint has read ``source`` into the tables; topics created again are others."""
    found = _stored(session, to, at).get(_property(source))
    if found is None:
        return
    claim = _read(found, at)
    if topics and not set(topics.items()) & set(claim.topics.items()):
        return
    raise UsageError(
        f"this source was already read into {at}, with the checkpoint {claim.checkpoint}; {checkpoint} is a new one,"
        " which would read everything again: duplicates are recognised, but quarantined messages would be stored twice",
        fix=f"--checkpoint {shlex.quote(claim.checkpoint)} to continue, or --again if that one is lost",
    )


def _read(text: str, at: str) -> SourceClaim:
    try:
        return typed(SourceClaim, json.loads(text))
    except (ValueError, RecursionError) as err:
        raise UsageError(
            f"the log of batches in {at} has a record of its sources that babelreg did not write: {err}",
            fix="remove the properties babelreg.stream.* of the table babelreg__batches if another program set them",
        ) from err


def write(session: SparkSession, to: str, at: str, claim: SourceClaim) -> None:
    """Record who reads the source. The log of batches exists once the first batch is stored."""
    key, value = _property(claim.source), json.dumps(asdict(claim), sort_keys=True)
    if _stored(session, to, at).get(key) != value:
        quoted = value.replace("\\", "\\\\").replace("'", "\\'")
        session.sql(f"ALTER TABLE {_log(to, at)} SET TBLPROPERTIES ('{key}' = '{quoted}')")


def _stored(session: SparkSession, to: str, at: str) -> Mapping[str, str]:
    table = FORMATS[to].stored(session, _log(to, at))
    return {} if table is None else table.properties


def _log(to: str, at: str) -> str:
    return FORMATS[to].address(TablePlace.of(at), BATCHES)


def _property(source: str) -> str:
    return f"babelreg.stream.{sha256(source.encode()).hexdigest()[:16]}"
