from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding

Lint = Callable[..., list[Finding]]


@pytest.mark.parametrize(
    "lines, found",
    [
        pytest.param("kind: command\nconsumers: [billing-worker, storefront]\n", True, id="two consume a command"),
        pytest.param("kind: command\nconsumers: [billing-worker]\n", False, id="one consumes it"),
        pytest.param("kind: command\nconsumers: []\n", False, id="nobody consumes it"),
        pytest.param("kind: event\nconsumers: [billing-worker, storefront]\n", False, id="an event is for everybody"),
        pytest.param(
            "kind: command\nconsumers: [storefront]\n"
            "# file: _services/crm.yaml\nowner: a\nconsumes: [{urn: 'urn:babel:media:thumbnail.generate'}]\n",
            True,
            id="one said here and one in its own file",
        ),
        pytest.param(
            "kind: command\nconsumers: [crm]\n"
            "# file: _services/crm.yaml\nowner: a\nconsumes: [{urn: 'urn:babel:media:thumbnail.generate'}]\n",
            False,
            id="one said twice",
        ),
    ],
)
def test_command_many_consumers(lines: str, found: bool, findings: Lint) -> None:
    block = f"# file: media/thumbnail.generate.yaml\nurn: urn:babel:media:thumbnail.generate\n{lines}"
    reported = findings(block, "command-many-consumers")
    assert [f.urn for f in reported] == (["urn:babel:media:thumbnail.generate"] if found else [])


def test_a_crowd_is_not_listed(findings: Lint) -> None:
    block = "urn: urn:babel:media:thumbnail.generate\nkind: command\nconsumers: [a, b, c, d, e, f]\n"
    (found,) = findings(block, "command-many-consumers")
    assert found.message.startswith("6 services consume the command")
    assert found.message.endswith("a, b, c, d, e, ...")
