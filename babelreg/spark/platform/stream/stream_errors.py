"""Failures of streaming queries as errors in words.

Spark's and Kafka's own texts never appear in them: they are long, and may hold settings. The chained exceptions carry
those, for ``--debug``.
"""

from __future__ import annotations

import re

from babelreg.errors import BabelregError, InputError, UsageError
from babelreg.lake.tasks.file_contents import decoded, shown_path
from babelreg.sources.compression import GZIP, ZSTD, damaged
from babelreg.spark.platform.stream.kafka_admin import LostRange, kafka_error
from babelreg.spark.platform.stream.place import KafkaPlace, SourcePlace
from babelreg.spark.session import spark_errors

_RANGE = re.compile(r"Could not read records in offset \[(\d+), (\d+)\) for topic partition (\S+)-(\d+)")
_RESET = re.compile(r"Starting offset for (\S+)-(\d+) was (\d+) but consumer reset to (\d+)")
_CHANGED = re.compile(r"Partition (\S+)-(\d+) offset was changed from (\d+) to (\d+)")
_DELETED = re.compile(r"Partitions? (\S+) have been deleted|Cannot find initial offsets for partitions (\S+)\.")
_ADDED = re.compile(r"Added partition (\S+)-(\d+) starts from (\d+) instead of 0")
_KAFKA_CAUSE = re.compile(r"org\.apache\.kafka\.common\.(?:errors|config)\.(\w+Exception)")
_SILENT_BROKER = re.compile(r"Timeout of \d+ms expired|Timed out waiting for a node assignment|TimeoutException")
_FILE_GONE = re.compile(
    r"FAILED_READ_FILE\.FILE_NOT_EXIST|It is possible the underlying files have been (?:updated|deleted)"
)
_UNREADABLE = re.compile(r"FAILED_READ_FILE\.NO_HINT\] Encountered error while reading file (\S+?\.(gz|zst|zstd))\.\s")
_BUCKET = re.compile(r"NoSuchBucket|UnknownStoreException")
_REFUSED = re.compile(
    r"AccessDeniedException|InvalidAccessKeyId|SignatureDoesNotMatch|Status Code: 403|NoAuthWithAWSException"
)
_SILENT_STORE = re.compile(
    r"AWSClientIOException|AWSNoResponseException|SdkClientException|Unable to execute HTTP request"
)
_CONCURRENT = re.compile(r"CONCURRENT_STREAM_LOG_UPDATE|CONCURRENT_QUERY|ConcurrentModification")

_GO_ON = "--on-lost continue skips them, and lists the missing ones"


def stream_error(err: Exception, source: SourcePlace, checkpoint: str) -> BabelregError:
    """Return the error to report for an exception of a streaming query."""
    text = f"{err}\n"
    if isinstance(err, BabelregError):
        return err
    if isinstance(source, KafkaPlace) and (error := _kafka_error(text, source)) is not None:
        return error
    if _CONCURRENT.search(text):
        return UsageError(
            f"another process uses the checkpoint {checkpoint}", fix="stop it, or name another folder with --checkpoint"
        )
    return _store_error(text, source) or spark_errors.translate(err, meaning=spark_errors.TABLES_BEGUN)


def lost_error(lost: list[LostRange], source: KafkaPlace) -> InputError:
    """Return the error for messages that were deleted before they were read."""
    count = sum(item.end - item.start for item in lost)
    listed = "; ".join(map(str, lost[:10])) + ("; ..." if len(lost) > 10 else "")
    return InputError(
        f"{count:,} messages of {source} were deleted before they were read ({listed}): Kafka retains a topic only for"
        " retention.ms or retention.bytes",
        fix=f"{_GO_ON}; retain the topic for longer, or run the stream more often",
    )


def _kafka_error(text: str, source: KafkaPlace) -> BabelregError | None:
    if match := _RANGE.search(text):
        return lost_error([LostRange(match[3], int(match[4]), int(match[1]), int(match[2]))], source)
    if match := _RESET.search(text):
        return lost_error([LostRange(match[1], int(match[2]), int(match[3]), int(match[4]))], source)
    if match := _CHANGED.search(text):
        return InputError(
            f"{match[1]} partition {match[2]} ends at offset {match[4]}, but was read up to {match[3]}: the topic was"
            " deleted and created again, or restored",
            fix="name a new folder with --checkpoint, which reads the topic from its beginning",
        )
    if match := _DELETED.search(text):
        return InputError(
            f"partitions were deleted: {match[1] or match[2]}",
            fix="name a new folder with --checkpoint, or restore them",
        )
    if match := _ADDED.search(text):
        return lost_error([LostRange(match[1], int(match[2]), 0, int(match[3]))], source)
    causes = _KAFKA_CAUSE.findall(text)
    if causes:
        return kafka_error(causes[-1], source)
    return kafka_error("TimeoutException", source) if _SILENT_BROKER.search(text) else None


def _store_error(text: str, source: SourcePlace) -> BabelregError | None:
    """Return the error of a file system or object store."""
    if _BUCKET.search(text):
        return UsageError("a bucket does not exist", fix="create it, or check the names")
    if _REFUSED.search(text):
        return UsageError(
            "the object store refuses access",
            fix="set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or the variables of fs.s3a.aws.credentials.provider",
        )
    if _SILENT_STORE.search(text):
        return UsageError(
            f"the object store does not answer; {spark_errors.TABLES_BEGUN}",
            fix="check --conf spark.hadoop.fs.s3a.endpoint=..., then run the same command again",
        )
    if _FILE_GONE.search(text):
        return InputError(
            f"a file below {source} was removed before it was read",
            fix="keep files until they are stored; --option ignoreMissingFiles=true continues without them",
        )
    if match := _UNREADABLE.search(text):  # a large one, which Spark decompresses
        return damaged(shown_path(decoded(match[1])), GZIP if match[2] == "gz" else ZSTD)
    if "PATH_NOT_FOUND" in text and str(source) in text:
        return UsageError(f"there is no folder {source}", fix="check --from")
    return None
