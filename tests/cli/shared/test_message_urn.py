"""``orders:created`` stands for ``urn:babel:orders:created`` in every argument and option that takes a URN."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from babelreg.cli import COMMANDS
from babelreg.cli.shared.common_options import MessageUrn, full_urn
from babelreg.cli.spark.options import fail_above_option


@pytest.mark.parametrize(
    "text, full",
    [
        pytest.param("orders:created", "urn:babel:orders:created", id="a short URN"),
        pytest.param("orders:item.added.v2", "urn:babel:orders:item.added.v2", id="with a version"),
        pytest.param("urn:babel:orders:created", "urn:babel:orders:created", id="a URN"),
        pytest.param("urn:other", "urn:other", id="a text that begins as a URN"),
        pytest.param("HEAD~1", "HEAD~1", id="a revision"),
        pytest.param("orders/created.yaml", "orders/created.yaml", id="a path"),
        pytest.param("quarantine", "quarantine", id="a word"),
    ],
)
def test_full_urn(text, full):
    assert full_urn(text) == full


def commands(command: click.Command, name: str) -> Iterator[tuple[str, click.Command]]:
    yield name, command
    if isinstance(command, click.Group):
        for below in command.commands.values():
            yield from commands(below, f"{name} {below.name}")


def test_every_parameter_that_takes_a_urn_takes_a_short_one():
    loose = [
        f"{path} {parameter.name}"
        for top, (module, _) in COMMANDS.items()
        for path, command in commands(importlib.import_module(module).command, top)
        for parameter in command.params
        if (parameter.metavar == "URN" or parameter.name in ("urn", "urns")) and type(parameter.type) is not MessageUrn
    ]
    assert not loose


def test_thresholds_take_a_short_urn():
    @click.command()
    @fail_above_option
    def command(fail_above):
        click.echo(" ".join(fail_above.percents))

    with command.make_context("x", ["--fail-above", "orders:created=5%", "--fail-above", "7%"]) as context:
        assert set(context.params["fail_above"].percents) == {"urn:babel:orders:created", "total"}


@pytest.mark.parametrize("name", ["orders:created", "orders/created.yaml", "registry/orders/created.yaml"])
def test_mint_takes_a_short_urn_and_a_file(name, recorded, run, monkeypatch):
    monkeypatch.chdir(recorded(0))
    code, out, _ = run("mint", name, "--dry-run")
    assert (code, out.strip().endswith("registry/orders/created.v2.yaml")) == (0, True)


def test_mint_of_a_fragment_names_the_option(recorded, run, monkeypatch):
    folder: Path = recorded(0)
    monkeypatch.chdir(folder)
    (folder / "registry/_common").mkdir()
    (folder / "registry/_common/money.yaml").write_text("type: object\n")
    code, _, err = run("mint", "registry/_common/money.yaml")
    assert code == 2
    assert "fix: babelreg mint --fragment registry/_common/money.yaml" in err


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(["new", "orders:shipped", "--producer", "orders-api", "--dry-run"], id="new"),
        pytest.param(["show", "orders:created"], id="show"),
        pytest.param(["validate", "--data", "orders:created", "data.jsonl"], id="validate"),
    ],
)
def test_commands_take_a_short_urn(words, recorded, run, monkeypatch):
    folder = recorded(0)
    monkeypatch.chdir(folder)
    (folder / "data.jsonl").write_text('{"id": 1}\n')
    assert run(*words)[0] == 0
