"""Writing of records: confirmed, or in one transaction with the position of the record that they follow from.

A retry or a dead letter is written to a topic, and its message is settled by a position. A worker or a broker that died
between the two would leave both the new record and the message, which is delivered again.

The transaction of a worker that died is ended by the broker after ``transaction.timeout.ms``: until then a consumer of
the topic waits there, and so does the next worker for the positions. Readers see no record of a transaction that was
not committed, unless their ``isolation.level`` is ``read_uncommitted``.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from babelqueue.kafka_transport import KafkaDeliveryError

from babelreg.runtime.telemetry.log_fields import logger
from babelreg.runtime.transports.kafka_groups import new_producer

_SECONDS = 30.0
_TIMEOUT_MS = 10_000
# Of the producer without transactions; others are refused beside them, or are longer than a transaction.
_REFUSED = frozenset(
    {"acks", "request.required.acks", "enable.idempotence", "retries", "message.send.max.retries"}
    | {"max.in.flight", "max.in.flight.requests.per.connection", "delivery.timeout.ms", "message.timeout.ms"}
)


Record = tuple[str, dict[str, Any]]
"""A topic and the arguments of ``produce``."""


class KafkaWriter:
    """The producers of one transport: ``producer``, else one that is made when it is needed, and one of transactions.

    Those of transactions have one ``transactional.id``: after a failure the next one ends the transaction of the one
    before.
    """

    def __init__(self, settings: Mapping[str, Any], producer: Any, delivery_timeout: float) -> None:
        self._settings = settings
        self._plain = producer
        self._delivery_timeout = delivery_timeout
        self._id = f"babelreg-{uuid.uuid4()}"
        self._producer: Any = None

    def write(self, records: Sequence[Record | Exception]) -> list[int | Exception]:
        """Return for each record 1 once the broker has it, or the error."""
        if self._plain is None:
            self._plain = new_producer(self._settings)
        reports: dict[int, Any] = {}
        for index, record in enumerate(records):
            if not isinstance(record, Exception):
                topic, settings = record
                self._plain.produce(topic, on_delivery=partial(_report, reports, index), **settings)
        self._plain.flush(self._delivery_timeout)
        results: list[int | Exception] = []
        for index, record in enumerate(records):
            if isinstance(record, Exception):
                results.append(record)
            elif reports.get(index, False) is None:
                results.append(1)
            else:
                late = f"was not confirmed within {self._delivery_timeout} s"
                reason = f"failed: {reports[index]}" if index in reports else late
                results.append(KafkaDeliveryError(f"delivery to topic {record[0]!r} {reason}"))
        return results

    def write_with_position(self, record: Record, place: Any, group: Any) -> None:
        """Write a record and commit ``place``, a position of the member of a ``group``, in one transaction.

        Raises KafkaException. Whether both were committed is known after :meth:`end_transaction`.
        """
        topic, settings = record
        producer = self._opened()
        try:
            producer.begin_transaction()
            producer.produce(topic, **settings)
            producer.send_offsets_to_transaction([place], group, _SECONDS)
            producer.commit_transaction(_SECONDS)
        except BaseException:
            self._drop()
            raise

    def end_transaction(self) -> None:
        """Let the broker end the transaction before, if it has not. Raises KafkaException while it is away."""
        self._opened()

    def close(self) -> None:
        """Send what is not sent yet. A transaction that was not committed comes to nothing."""
        self._drop()
        with suppress(Exception):
            self._plain.flush()

    def _drop(self) -> None:
        producer, self._producer = self._producer, None
        if producer is not None:
            producer.purge()

    def _opened(self) -> Any:
        if self._producer is None:
            own = {"transactional.id": self._id, "linger.ms": 0}
            given = {name: value for name, value in self._settings.items() if name not in _REFUSED}
            producer = new_producer({"transaction.timeout.ms": _TIMEOUT_MS, **given, **own})
            producer.init_transactions(_SECONDS)
            self._producer = producer
        return self._producer


def _report(reports: dict[int, Any], index: int, error: Any, _: Any = None) -> None:
    reports[index] = error


def are_refused(error: Exception) -> bool:
    """Return True for an exception of a broker that allows this client no transactions; it is logged."""
    from confluent_kafka import KafkaError

    codes = (KafkaError.TRANSACTIONAL_ID_AUTHORIZATION_FAILED, KafkaError.CLUSTER_AUTHORIZATION_FAILED)
    known = error.args[0] if error.args else None
    if not isinstance(known, KafkaError) or known.code() not in (*codes, KafkaError._UNSUPPORTED_FEATURE):
        return False
    words = "Kafka allows no transactions (%s): a worker that dies may write a retry or a dead letter twice"
    logger.warning(words, known.str())
    return True
