"""Places of a stream as people write them."""

from __future__ import annotations

from pathlib import Path

import pytest

from babelreg.errors import UsageError
from babelreg.spark.platform.stream.place import FolderPlace, KafkaPlace, source_place


@pytest.mark.parametrize(
    "text, place",
    [
        pytest.param("kafka://b:9093/orders", KafkaPlace(("b:9093",), ("orders",)), id="a broker"),
        pytest.param("kafka://b/orders/", KafkaPlace(("b:9092",), ("orders",)), id="a broker without a port"),
        pytest.param("kafka://a,b:1/x,y", KafkaPlace(("a:9092", "b:1"), ("x", "y")), id="brokers and topics"),
        pytest.param("kafka://[::1]/x", KafkaPlace(("[::1]:9092",), ("x",)), id="an IPv6 address"),
        pytest.param("s3a://bucket/in/", FolderPlace("s3a://bucket/in"), id="a bucket"),
        pytest.param("/data/in", FolderPlace("file:///data/in"), id="a path"),
        pytest.param("in box", FolderPlace((Path.cwd() / "in box").as_uri()), id="a relative path"),
    ],
)
def test_a_place_is_read(text: str, place: object) -> None:
    assert source_place(text) == place


@pytest.mark.parametrize(
    "text, says",
    [
        pytest.param("kafka://broker:9092", "has no topic", id="no topic"),
        pytest.param("kafka://broker:9092/", "not a name of a Kafka topic", id="an empty topic"),
        pytest.param("kafka:broker/orders", "has no topic", id="no slashes"),
        pytest.param("kafka://broker:99999/orders", "is not a broker", id="a port that is none"),
        pytest.param("kafka://b/a b", "'a b' is not a name", id="a topic with a space"),
        pytest.param("s3://bucket/in", "Hadoop's s3a", id="S3 by another name"),
        pytest.param("", "is empty", id="nothing"),
    ],
)
def test_a_place_that_is_none_is_refused(text: str, says: str) -> None:
    with pytest.raises(UsageError, match=says) as raised:
        source_place(text)
    assert raised.value.fix


def test_a_password_in_an_address_is_refused_and_not_repeated() -> None:
    with pytest.raises(UsageError) as raised:
        source_place("kafka://me:hunter2@broker:9092/orders")
    assert "hunter2" not in f"{raised.value} {raised.value.fix}"


def test_a_topic_stays_the_same_behind_other_brokers() -> None:
    assert source_place("kafka://a/x,y").identity == source_place("kafka://b:1,c/y,x").identity
