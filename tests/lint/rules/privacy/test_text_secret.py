"""Tokens outside of examples. They are put together here, so that scanners of repositories do not stop at this file."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding

Lint = Callable[..., list[Finding]]
TOKEN = "gh" + "p_" + "4eC39HqLyjWDarjtT1zdp7dcQwErTyUiOpAs"
URL = "https://ci:" + "s3cr3tpw@git.shop.io/x"
URN = "urn: urn:babel:orders:created\n"


@pytest.mark.parametrize(
    "block, place",
    [
        pytest.param(URN + f"description: Use {TOKEN}.\n", "orders/created.yaml:2:14", id="a description"),
        pytest.param(
            URN + f"counterexamples:\n  - because: no {TOKEN}\n    data: 1\n", "orders/created.yaml:3:14", id="because"
        ),
        pytest.param(
            URN + f"data:\n  type: object\n  properties:\n    a: {{description: 'As {TOKEN}'}}\n",
            "orders/created.yaml:5:22",
            id="the description of a field",
        ),
        pytest.param(URN + f"data: {{$comment: '{TOKEN}'}}\n", "orders/created.yaml:2:18", id="a comment of a schema"),
        pytest.param(URN + f"data: {{enum: [a, {TOKEN}]}}\n", "orders/created.yaml:2:18", id="an enum"),
        pytest.param(URN + f"data: {{x-note: [{{by: '{TOKEN}'}}]}}\n", "orders/created.yaml:2:22", id="an annotation"),
        pytest.param(URN + f"data: {{properties: {{{TOKEN}: {{}}}}}}\n", "orders/created.yaml:2:20", id="a name"),
        pytest.param(URN + f"kind: event  # {TOKEN}\n", "orders/created.yaml:1:1", id="a comment of YAML"),
        pytest.param(URN + f"upcast: [{{default: {{key: {TOKEN}}}}}]\n", "orders/created.yaml:2:26", id="an upcast"),
        pytest.param(f"# file: orders/_context.yaml\ncontact: {URL}\n", "orders/_context.yaml:1:10", id="a contact"),
        pytest.param(
            f"# file: _services/a.yaml\nrepo: {URL}\n", "_services/a.yaml:1:7", id="the repository of a service"
        ),
        pytest.param(f"# file: _common/a.yaml\ntitle: {TOKEN}\n", "_common/a.yaml:1:8", id="a shared schema"),
        pytest.param(
            f"# file: babelreg.yaml\nversion: 1\nlint: {{waivers: [{{rule: x-y, path: a, reason: {TOKEN}}}]}}\n",
            "babelreg.yaml:2:47",
            id="the reason of a waiver",
        ),
    ],
)
def test_a_token_in_a_text_is_reported_without_giving_it_away(block: str, place: str, findings: Lint) -> None:
    (found,) = findings(block, "text-secret")
    assert str(found.place) == place
    assert TOKEN not in repr(found)
    assert "s3cr3tpw" not in repr(found)
    assert found.message.endswith(("a real GitHub token, ghp_***", "a real password in an address, https://***"))


@pytest.mark.parametrize(
    "block",
    [
        pytest.param(URN + f"examples:\n  - {{a: {TOKEN}}}\n", id="an example"),
        pytest.param(URN + f"counterexamples:\n  - because: x\n    data: {{a: {TOKEN}}}\n", id="a counterexample"),
        pytest.param(URN + f"data: {{properties: {{a: {{default: {TOKEN}}}}}}}\n", id="a default"),
    ],
)
def test_a_value_of_an_example_is_one_finding_of_another_rule(block: str, findings: Lint) -> None:
    assert findings(block, "text-secret") == []
    assert len(findings(block, "example-secret")) == 1


def test_placeholders_and_plain_texts_are_not_reported(findings: Lint) -> None:
    texts = [
        "Use <token>.",
        "See https://docs.shop.io/orders#created.",
        "sk_live_xxxxxxxxxxxxxxxxxxxx",
        "Bearer <token>",
    ]
    for text in texts:
        assert findings(URN + f"description: '{text}'  # {text}\n", "text-secret") == []


def test_a_token_counts_in_each_file_beside_texts_that_both_have(findings: Lint) -> None:
    same = f"description: A text without a secret.\nkind: event\nowner: {URL}\n"
    found = findings(f"{URN}{same}# file: orders/paid.yaml\nurn: urn:babel:orders:paid\n{same}", "text-secret")
    assert [finding.place.path for finding in found] == ["orders/created.yaml", "orders/paid.yaml"]
