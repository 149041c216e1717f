"""Passwords in examples, by the names of their fields."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding

Lint = Callable[..., list[Finding]]
BLOCK = "urn: urn:babel:orders:created\nexamples:\n  - {%s}\n"


@pytest.mark.parametrize(
    "example, what",
    [
        pytest.param("password: hunter2!", "password", id="a password"),
        pytest.param("user: {userPassword: hunter2!}", "user password", id="in camel case, deep"),
        pytest.param("client_secret: abcd1234", "client secret", id="a secret of a client"),
        pytest.param("apiKey: abcd1234", "api key", id="a key"),
        pytest.param("refresh_token: abcd1234", "refresh token", id="a token that is always one"),
        pytest.param("token: 4eC39HqLyjWDarjtT1zdp7dc", "token", id="a token that looks random"),
        pytest.param("passwords: {}, password2: hunter2!", "password 2", id="with a number"),
        pytest.param("dsn: 'Server=db;Password=hunter2!;'", "password in a text", id="in a connection string"),
        pytest.param("url: 'https://a.io/x?access_token=abcd1234'", "password in a text", id="in an address"),
        pytest.param('body: \'{"password": "hunter2!"}\'', "password in a text", id="in JSON within a text"),
    ],
)
def test_a_password_is_reported(example: str, what: str, findings: Lint) -> None:
    (found,) = findings(BLOCK % example, "example-password")
    assert found.message == f"the example has a {what} that is not a placeholder"


@pytest.mark.parametrize(
    "example",
    [
        "password: '***'", "password: '<password>'", "password: changeme", "password: ''", "password: null",
        "password: true", "password: a", "password: '${PASSWORD}'", "password_reset_url: https://a.io/reset",
        "password_changed_at: '2026-01-01'", "token: page-2", "token: next", "secret: santa", "tokens: 1200",
        "has_password: true", "note: the password is wrong", "compass: north-west", "key: orders.created",
    ],
)  # fmt: skip
def test_placeholders_and_other_fields_are_not_reported(example: str, findings: Lint) -> None:
    assert findings(BLOCK % example, "example-password") == []
