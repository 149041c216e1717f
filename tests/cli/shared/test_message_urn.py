"""``orders:created`` stands for ``urn:babel:orders:created`` in every argument and option that takes a URN."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from babelreg.cli import COMMANDS
from babelreg.cli.lake.options import fail_above_option
from babelreg.cli.shared.common_options import full_urn
from babelreg.model.urn import PREFIX


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
        context = click.Context(command)
        for word in command.list_commands(context):
            below = command.get_command(context, word)
            assert below is not None
            yield from commands(below, f"{name} {word}")


NO_URNS = {
    "gen jsonschema base": "a URL in front of paths",
    "import asyncapi context": "a context",
    "init settings": "a key of a format, whose name may be `urn`",
    "scan tests": "a flag",
}
"""Parameters whose help mentions URNs, and that take none."""


def parameters_of_urns() -> Iterator[tuple[str, click.Command, click.Parameter]]:
    """Yield the parameters whose name, placeholder, type or help says that they take a URN, in every command.

    A path is none, though its help may name URNs, or a target called `urns`.
    """
    for top, (module, _) in COMMANDS.items():
        for path, command in commands(importlib.import_module(module).command, top):
            in_usage = {
                word.strip("[].") for word in re.findall(r"[A-Z|\[\].]{3,}", (command.help or "").split("\n\n")[0])
            }
            for parameter in command.params:
                if isinstance(parameter.type, click.Path):
                    continue
                texts = (parameter.metavar or "", getattr(parameter, "help", None) or "", parameter.name or "")
                is_word = parameter.human_readable_name in in_usage and "a URN" in (command.help or "")
                if any(re.search(r"\burns?\b", text, re.IGNORECASE) for text in texts) or is_word:
                    yield f"{path} {parameter.name}", command, parameter


FOUND = list(parameters_of_urns())


def test_the_walk_finds_the_parameters():
    names = {name for name, _, _ in FOUND}
    assert names - NO_URNS.keys() == {
        "show urn", "diff urn", "new urn", "mint urn", "mint urns", "validate data_urn", "redrive urns", "lake files table",
        "lake quarantine urns", "lake redrive urns", "lake ingest fail_above", "lake ingest hold_above",
        "spark ingest fail_above", "spark ingest hold_above", "spark stream fail_above", "spark stream hold_above",
        "impact fail_above",
    }  # fmt: skip
    assert names >= NO_URNS.keys()


@pytest.mark.parametrize(
    "name, command, parameter", [pytest.param(*found, id=found[0]) for found in FOUND if found[0] not in NO_URNS]
)
def test_every_parameter_that_takes_a_urn_takes_a_short_one(name, command, parameter):
    values = [
        text + "=5%" if "PERCENT" in (parameter.metavar or "") else text
        for text in ("orders:created", f"{PREFIX}orders:created")
    ]
    context = click.Context(command)
    short, full = (parameter.process_value(context, [text] if parameter.multiple else text) for text in values)
    assert short == full
    assert "urn:babel:orders:created" in str(short)


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
