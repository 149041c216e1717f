from __future__ import annotations

from collections.abc import Callable

import pytest

InData = Callable[..., list[str]]


@pytest.mark.parametrize(
    "field, found",
    [
        pytest.param("a: {type: string, x-php-type: App\\Money}", ["a.x-php-type"], id="PHP"),
        pytest.param("a: {type: string, x-go-type: money.Money}", ["a.x-go-type"], id="Go"),
        pytest.param("a: {type: string, x-python-import: os}", ["a.x-python-import"], id="an import"),
        pytest.param("a: {type: object, javaType: com.acme.Money}", ["a.javaType"], id="Java"),
        pytest.param("a: {type: string, customTypePath: os.system}", ["a.customTypePath"], id="a generator's own"),
        pytest.param("a: {type: string, x-unit: minor}", [], id="a unit"),
        pytest.param("a: {type: string, x-gdpr-sensitive: email}", [], id="a mark of privacy"),
        pytest.param("a: {type: string, x-go-live: soon}", [], id="a word of one's own"),
        pytest.param("a: {type: string, format: php-serialized}", ["a"], id="a format"),
        pytest.param(
            "a: {type: string, contentMediaType: application/x-java-serialized-object}",
            ["a.contentMediaType"],
            id="a media type",
        ),
        pytest.param("a: {type: string, examples: ['O:8:\"stdClass\":0:{}']}", ["a"], id="a PHP object"),
        pytest.param("a: {type: string, examples: ['a:1:{i:0;s:1:\"x\";}']}", ["a"], id="a PHP array"),
        pytest.param("a: {type: string, examples: [rO0ABXNyABFqYXZh]}", ["a"], id="a Java object"),
        pytest.param("a: {type: string, enum: ['App\\Jobs\\Ship']}", ["a"], id="a PHP class"),
        pytest.param("a: {type: string, examples: [com.acme.orders.OrderCreated]}", ["a"], id="a Java class"),
        pytest.param("exception: {type: string, examples: ['App\\Exceptions\\Timeout']}", [], id="an exception"),
        pytest.param("a: {type: string, examples: [com.acme.orders]}", [], id="a package"),
        pytest.param("host: {type: string, examples: [www.example.com]}", [], id="a host"),
        pytest.param("a: {type: string, examples: ['a:1 b']}", [], id="prose"),
    ],
)
def test_language_specific_type(field: str, found: list[str], in_data: InData) -> None:
    assert in_data("language-specific-type", field) == found
