"""The facts on a message that generated code has."""

from __future__ import annotations

import pytest

from babelreg import load
from babelreg.gen.targets.python.message_metadata import facts


@pytest.mark.parametrize(
    "line, headers",
    [
        pytest.param("", None, id="no headers"),
        pytest.param("headers: false\n", None, id="the default in words"),
        pytest.param("headers: true\n", True, id="headers"),
    ],
)
def test_a_message_says_whether_it_has_headers_on_redis(line, headers, tmp_path):
    (tmp_path / "orders").mkdir()
    (tmp_path / "babelreg.yaml").write_text("version: 1\n")
    (tmp_path / "orders" / "_context.yaml").write_text("owner: team-orders\n")
    text = f"urn: urn:babel:orders:created\nkind: event\n{line}data: {{type: object}}\n"
    (tmp_path / "orders" / "created.yaml").write_text(text)
    registry = load.registry(tmp_path)
    (message,) = registry.messages
    assert facts(registry, message).get("headers") is headers
