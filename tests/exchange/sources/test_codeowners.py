"""Owners by CODEOWNERS: the last pattern that matches counts."""

from __future__ import annotations

import pytest

from babelreg.exchange.sources.codeowners import find_codeowners, owner_name


@pytest.mark.parametrize(
    "text, path, owners",
    [
        pytest.param("* @acme/all\n", "a/b.json", ("@acme/all",), id="everything"),
        pytest.param("* @a\n/schemas/ @b @c\n", "schemas/x/y.json", ("@b", "@c"), id="a folder at the top"),
        pytest.param("/schemas/ @b\n", "other/schemas/y.json", (), id="only at the top"),
        pytest.param("schemas/ @b\n", "other/schemas/y.json", ("@b",), id="a folder anywhere"),
        pytest.param("*.json @j # comment\n", "a/b.json", ("@j",), id="a suffix"),
        pytest.param("docs/* @d\n", "docs/a/b.json", (), id="one level"),
        pytest.param("docs/** @d\n", "docs/a/b.json", ("@d",), id="all levels"),
        pytest.param("**/orders/*.json @o\n", "a/orders/b.json", ("@o",), id="any folders before"),
        pytest.param("* @a\n/orders/secret.json\n", "orders/secret.json", (), id="a pattern without owners"),
        pytest.param("[Docs][2] @team\n*.json\n", "a.json", ("@team",), id="a section of GitLab"),
        pytest.param("a\\ b.json @s\n", "a b.json", ("@s",), id="a space"),
    ],
)
def test_the_owners_of_a_file(text, path, owners, tmp_path):
    (tmp_path / ".git").mkdir()
    (tmp_path / "CODEOWNERS").write_text(text)
    (tmp_path / "deep").mkdir()
    codeowners = find_codeowners(tmp_path / "deep")
    assert codeowners is not None
    assert codeowners.owners(tmp_path / path) == owners


@pytest.mark.parametrize(
    "owner, name",
    [
        ("@acme/team-orders", "team-orders"),
        ("@ada", "ada"),
        ("ada@example.com", "ada"),
        ("@acme/billing", "finance"),
    ],
)
def test_the_name_of_an_owner(owner, name):
    assert owner_name(owner, {"finance": ["@acme/billing"]}) == name
