"""URLs of brokers: no password is ever shown."""

from __future__ import annotations

import pytest

from babelreg.errors import UsageError
from babelreg.recording.broker_url import PASSWORD_VARIABLE, BrokerUrl


@pytest.mark.parametrize(
    "kind, text, shown",
    [
        ("redis", "redis://localhost:6379/0", "redis://localhost:6379/0"),
        ("redis", "redis://:geheim@localhost/0", "redis://:***@localhost/0"),
        ("redis", "rediss://me:geheim@[::1]:6380/1?laravel=1", "rediss://me:***@[::1]:6380/1?laravel=1"),
        ("redis", "redis://localhost/0?password=geheim&db=1", "redis://localhost/0?password=***&db=1"),
        ("rabbitmq", "amqp://me:geheim%2F@host:5672/%2F", "amqp://me:***@host:5672/%2F"),
        ("rabbitmq", "amqps://host/shop", "amqps://host/shop"),
    ],
)
def test_a_url_is_shown_without_its_password(kind, text, shown):
    url = BrokerUrl.parse(kind, text)
    assert (url.shown, url.text) == (shown, text)
    assert "geheim" not in repr(url)


def test_the_password_comes_from_a_variable_where_the_url_has_none(monkeypatch):
    monkeypatch.setenv(PASSWORD_VARIABLE, "ge/heim")
    assert BrokerUrl.parse("rabbitmq", "amqp://me@host/").text == "amqp://me:ge%2Fheim@host/"
    assert BrokerUrl.parse("rabbitmq", "amqp://me:own@host/").text == "amqp://me:own@host/"
    assert BrokerUrl.parse("rabbitmq", "amqp://me@host/").shown == "amqp://me:***@host/"


@pytest.mark.parametrize(
    "kind, text, error",
    [
        ("redis", "amqp://localhost/", "the scheme of rabbitmq"),
        ("rabbitmq", "redis://localhost/", "the scheme of redis"),
        ("redis", "localhost:6379", "begins with one of redis, rediss, unix"),
        ("rabbitmq", "http://localhost", "begins with one of amqp, amqps"),
        ("redis", "redis:///0", "has no host"),
        ("redis", "redis://host:port/", "cannot be read"),
    ],
)
def test_a_wrong_url_is_a_clear_error(kind, text, error):
    with pytest.raises(UsageError, match=error) as caught:
        BrokerUrl.parse(kind, text)
    assert caught.value.fix


@pytest.mark.parametrize("text", ["login of geheim% refused", "login of geheim%25 refused"])
def test_an_error_that_quotes_the_password_is_masked(text):
    url = BrokerUrl.parse("redis", "redis://:geheim%25@localhost/")
    assert "geheim" not in str(url.explained(RuntimeError(text)))


@pytest.mark.parametrize(
    "text, kind, shown",
    [
        pytest.param("rediss://:geheim@h:1/0", "redis", "rediss://:***@h:1/0", id="Redis"),
        pytest.param("amqps://u:geheim@h/%2F", "rabbitmq", "amqps://u:***@h/%2F", id="RabbitMQ"),
        pytest.param("kafka://a:1,b:2", "kafka", "kafka://a:1,b:2", id="Kafka with two hosts"),
        pytest.param("kafka://u:geheim@a:1,b:2", "kafka", "kafka://u:***@a:1,b:2", id="Kafka with a user"),
        pytest.param(
            "kafka://a:1?security.protocol=SSL&ssl.key.password=geheim",
            "kafka",
            "kafka://a:1?security.protocol=SSL&ssl.key.password=***",
            id="Kafka with settings",
        ),
    ],
)
def test_the_scheme_tells_the_broker(text: str, kind: str, shown: str) -> None:
    url = BrokerUrl.of(text)
    assert (url.kind, url.shown) == (kind, shown)
    assert "geheim" not in repr(url)
    assert "***" not in shown or "geheim" not in str(url.explained(ConnectionError("cannot reach geheim")))


def test_kafka_gets_its_hosts_its_user_and_the_settings_of_the_query() -> None:
    settings = BrokerUrl.of("kafka://u:p%40ss@a:1,b:2?sasl.mechanism=SCRAM-SHA-256").kafka_settings()
    assert settings == {
        "bootstrap.servers": "a:1,b:2",
        "security.protocol": "SASL_SSL",
        "sasl.mechanism": "SCRAM-SHA-256",
        "sasl.username": "u",
        "sasl.password": "p@ss",
    }


@pytest.mark.parametrize("text", ["mysql://u:geheim@h", "geheim", "", "kafka://"])
def test_a_url_of_no_broker_is_refused_without_its_password(text: str) -> None:
    with pytest.raises(UsageError) as error:
        BrokerUrl.of(text)
    assert "geheim" not in str(error.value)
