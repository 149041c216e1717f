"""Failures of Spark and Kafka in words that say what to do, without the words of Spark and Kafka."""

from __future__ import annotations

import pytest

from babelreg.spark.platform.stream.place import FolderPlace, KafkaPlace
from babelreg.spark.platform.stream.stream_errors import stream_error

KAFKA = KafkaPlace(("b:9092",), ("orders",))
FOLDER = FolderPlace("s3a://lake/in")


@pytest.mark.parametrize(
    "text, says, fix",
    [
        pytest.param(
            "Reason: Could not read records in offset [5, 100) for topic partition orders-3 with consumer group x.",
            "95 messages of kafka://b:9092/orders were deleted before they were read (orders partition 3: offsets 5 to 99)",
            "--on-lost continue",
            id="retention was faster",
        ),
        pytest.param(
            "Starting offset for my-topic-0 was 7 but consumer reset to 8.",
            "1 messages of kafka://b:9092/orders were deleted before they were read (my-topic partition 0: offset 7)",
            "--on-lost continue",
            id="one message, of a topic with a hyphen",
        ),
        pytest.param(
            "Reason: Partition orders-1 offset was changed from 5 to 0.", "created again", "--checkpoint", id="a new topic"
        ),
        pytest.param("Partitions Set(orders-1) have been deleted.", "deleted: Set(orders-1)", "--checkpoint", id="gone"),
        pytest.param(
            "Caused by: org.apache.kafka.common.errors.TimeoutException: Call(x, sasl.jaas.config=hunter2)",
            "no Kafka broker answers at b:9092",
            "kafka.security.protocol",
            id="no broker",
        ),
        pytest.param(
            "org.apache.kafka.common.errors.SaslAuthenticationException: hunter2", "refuse access", "pass credentials",
            id="wrong password",
        ),
    ],
)  # fmt: skip
def test_a_failure_of_kafka_is_explained(text: str, says: str, fix: str) -> None:
    error = stream_error(RuntimeError(text), KAFKA, "cp")
    assert says in str(error)
    assert error.fix is not None
    assert fix in error.fix
    assert "hunter2" not in f"{error} {error.fix}"


@pytest.mark.parametrize(
    "text, says",
    [
        pytest.param(
            "org.apache.hadoop.fs.s3a.UnknownStoreException: `s3a://x/'", "a bucket does not exist", id="no bucket"
        ),
        pytest.param("java.nio.file.AccessDeniedException: s3a://lake: 403", "refuses access", id="no rights"),
        pytest.param("software.amazon.awssdk.core.exception.SdkClientException: x", "does not answer", id="down"),
        pytest.param("[FAILED_READ_FILE.FILE_NOT_EXIST] x", "was removed before it was read", id="a file is gone"),
        pytest.param(
            "[FAILED_READ_FILE.NO_HINT] Encountered error while reading file file:///in/a%20b.jsonl.gz.  SQLSTATE: KD001",
            "/in/a b.jsonl.gz is not a complete gzip file",
            id="a large file is cut off",
        ),
        pytest.param(
            "[FAILED_READ_FILE.NO_HINT] Encountered error while reading file s3a://lake/in/a.gz/b.c.zst. SQLSTATE: KD001",
            "s3a://lake/in/a.gz/b.c.zst is not a complete zstd file",
            id="a large object is cut off",
        ),
        pytest.param(
            "[CONCURRENT_STREAM_LOG_UPDATE] x", "another process uses the checkpoint cp", id="two of one kind"
        ),
    ],
)
def test_a_failure_of_a_store_is_explained(text: str, says: str) -> None:
    assert says in str(stream_error(RuntimeError(text), FOLDER, "cp"))


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("java.lang.OutOfMemoryError: Java heap space", id="memory"),
        pytest.param("something new", id="unknown"),
        pytest.param("software.amazon.awssdk.core.exception.SdkClientException: x", id="the object store"),
    ],
)
def test_a_batch_that_some_tables_may_have_is_not_called_uncommitted(text: str) -> None:
    message = stream_error(RuntimeError(text), FOLDER, "cp").message
    assert "some tables may have the batch already" in message
    assert "not committed" not in message
