"""Tokens in examples. They are put together here, so that scanners of repositories do not stop at this file."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hang import in_a_child

from babelreg.finding import Finding
from babelreg.lint.rules import RULES
from babelreg.lint.scope import Scope
from babelreg.model import Registry

Lint = Callable[..., list[Finding]]
BLOCK = "urn: urn:babel:orders:created\nexamples:\n  - {%s}\n"

MIXED = "4eC39HqLyjWDarjtT1zdp7dcQwErTyUiOpAsDfGhJkLzXcVbNm0123456789abcdefAB"
HEX = "0123456789abcdef" * 4

TOKENS = [
    pytest.param("AK" + "IAQ3EGV7WB2XKJ4L5N", "AWS access key, AKIA***", id="AWS"),
    pytest.param("sk_" + "live_" + MIXED[:24], "Stripe key, sk_l***", id="Stripe"),
    pytest.param("charged with sk_" + "live_51" + MIXED[:20] + ".", "Stripe key, sk_l***", id="within a text"),
    pytest.param("gh" + "p_" + MIXED[:36], "GitHub token, ghp_***", id="GitHub"),
    pytest.param("github_" + "pat_" + MIXED[:60], "GitHub token, gith***", id="GitHub, fine-grained"),
    pytest.param("gl" + "pat-" + MIXED[:20], "GitLab token, glpa***", id="GitLab"),
    pytest.param("xo" + "xb-123456789012-" + MIXED[:24], "Slack token, xoxb***", id="Slack"),
    pytest.param("AI" + "za" + MIXED[:35], "Google key, AIza***", id="Google"),
    pytest.param("sk-" + "proj-" + MIXED[:40], "OpenAI or Anthropic key, sk-p***", id="OpenAI"),
    pytest.param("SG" + "." + MIXED[:22] + "." + MIXED[:43], "SendGrid key, SG.4***", id="SendGrid"),
    pytest.param("SK" + HEX[:32], "Twilio key, SK01***", id="Twilio"),
    pytest.param("np" + "m_" + MIXED[:36], "npm token, npm_***", id="npm"),
    pytest.param("hf" + "_" + MIXED[:34], "Hugging Face token, hf_4***", id="Hugging Face"),
    pytest.param("shp" + "at_" + HEX[:32], "Shopify token, shpa***", id="Shopify"),
    pytest.param("dop" + "_v1_" + HEX, "DigitalOcean token, dop_***", id="DigitalOcean"),
    pytest.param("eyJ" + MIXED[:20] + ".eyJ" + MIXED[:30] + "." + MIXED[:43], "JSON Web Token, eyJ4***", id="JWT"),
    pytest.param("-----BEGIN RSA PRIVATE KEY-----", "private key, ----***", id="a private key"),
    pytest.param("Bearer " + MIXED[:30], "bearer token, Bear***", id="a header"),
    pytest.param("postgres://shop:s3cr3tpw@db.shop.io/x", "password in an address, postgres://***", id="an address"),
    pytest.param("AccountName=x;AccountKey=" + MIXED + "==", "Azure storage key, Acco***", id="a connection string"),
]
HARMLESS = [
    "AKIAIOSFODNN7EXAMPLE", "sk_live_xxxxxxxxxxxxxxxxxxxxxxxx", "<token>", "sk_live_YOUR_KEY_GOES_HERE",
    "https://shop.io/a:b@c", "postgres://shop:***@db/x", "postgres://user:password@db/x", "postgres://db:5432/x",
    "0b54f1a6-6a0e-4d0f-9d4c-7d0c2f7a4e11", "2026-11-20T10:00:00.000Z", "task_live_action_performed_twice",
    "Basic understanding of things", "bearer of bad news today", "risk-assessment-completed-for-order",
    "urn:babel:orders:created", "a" * 300,
]  # fmt: skip


@pytest.mark.parametrize("value, shown", TOKENS)
def test_a_token_is_reported_without_giving_it_away(value: str, shown: str, findings: Lint) -> None:
    (found,) = findings(BLOCK % f'note: "{value}"', "example-secret")
    assert found.message == f"the example has what looks like a real {shown}"
    assert found.place.line == 3


@pytest.mark.parametrize("value", HARMLESS)
def test_placeholders_and_other_texts_are_not_reported(value: str, findings: Lint) -> None:
    assert findings(BLOCK % f'note: "{value}"', "example-secret") == []


def test_values_that_schemas_list_count(findings: Lint) -> None:
    value = "gh" + "p_" + MIXED[:36]
    block = f"urn: urn:babel:orders:created\ndata: {{type: object, properties: {{a: {{default: {value}}}}}}}\n"
    assert [f.pointer for f in findings(block, "example-secret")] == ["/data/properties/a/default"]


def test_long_texts_are_not_searched_again_from_every_character(registry: Callable[[str], Registry]) -> None:
    repeated = ("eyJ-", "eyJ.eyJ.", "a://", "a:b@", "://:", "sk-", "Bearer ", "-----BEGIN ", "1234 ", "password=", "=")
    texts = ", ".join(f"'{text * 20000}'" for text in repeated)
    scope = Scope(registry(BLOCK % f"password: [{texts}]"))

    def check() -> None:
        for rule in ("example-secret", "example-password", "example-card-number"):
            list(RULES[rule].check(scope))

    in_a_child(check, cpu_seconds=5)
