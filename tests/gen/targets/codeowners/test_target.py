"""Lines of CODEOWNERS for a registry."""

from __future__ import annotations

import pytest

from babelreg import load
from babelreg.gen.targets.codeowners.target import block, findings

SETTINGS = 'version: 1\nowners: {team-orders: ["@acme/orders", "ada@acme.example"], team-crm: ["@acme/crm"]}\n'
FILES = {
    "babelreg.yaml": SETTINGS,
    "orders/_context.yaml": "owner: team-orders\n",
    "orders/created.yaml": "urn: urn:babel:orders:created\nkind: event\nowner: {owner}\nproducers: [crm]\ndata: {{type: object}}\n",
    "_services/crm.yaml": "owner: team-crm\nlang: php\n",
}  # fmt: skip


def registry(owner, **more):
    files = {**FILES, "orders/created.yaml": FILES["orders/created.yaml"].format(owner=owner), **more}
    return load.from_tree(load.files.tree.Memory({path: text.encode() for path, text in files.items()}))


@pytest.mark.parametrize(
    "owner, folder, lines",
    [
        pytest.param("team-orders", "registry", [], id="the owner of the context"),
        pytest.param("team-crm", "registry", ["/registry/orders/created.yaml @acme/crm"], id="another owner"),
        pytest.param('"@acme/ops"', "registry", ["/registry/orders/created.yaml @acme/ops"], id="an account"),
        pytest.param(
            "team-x", "registry", ["# /registry/orders/created.yaml: team-x has no account"], id="no account"
        ),
    ],
)  # fmt: skip
def test_a_message_has_a_line_where_its_owner_is_another(owner, folder, lines):
    assert block(registry(owner), folder).splitlines()[1:-1] == [
        "/registry/orders/ @acme/orders ada@acme.example",
        *lines,
        "/registry/_services/crm.yaml @acme/crm",
    ]


@pytest.mark.parametrize(
    "folder, start",
    [
        pytest.param(".", "/orders/ ", id="the registry is the repository"),
        pytest.param("a/b", "/a/b/orders/ ", id="a folder of a monorepo"),
        pytest.param("my registry", "/my\\ registry/orders/ ", id="a folder with a space"),
    ],
)
def test_paths_start_at_the_repository(folder, start):
    assert block(registry("team-orders"), folder).splitlines()[1].startswith(start)


def test_an_owner_without_an_account_is_a_warning_at_its_first_place():
    (finding,) = findings(registry("team-x"))
    assert (finding.rule, finding.place.path, finding.place.line) == ("owner-unmapped", "orders/created.yaml", 3)
