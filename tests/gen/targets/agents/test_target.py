"""The block for coding agents: short, true, and never written over somebody's words."""

from __future__ import annotations

import re
import shlex

import click
import pytest

from babelreg.cli import _babelreg
from babelreg.gen.block import EditedBlockError, with_guarded_block
from babelreg.gen.targets import TARGETS
from babelreg.gen.targets.agents.target import block
from babelreg.model import Registry

BLOCK = block("registry")
OLDER = block("contracts")
COMMANDS = re.findall(r"`(babelreg [^`]+)`", BLOCK)


def test_the_block_has_at_most_400_tokens():
    # Tokenizers of language models make a token of 3 to 5 characters of English, and of each mark.
    assert len(BLOCK) / 3 <= 400


def test_six_commands_are_listed_and_all_exist():
    listed = {
        shlex.split(command)[1] for line in BLOCK.splitlines() for command in re.findall(r"`(babelreg [^`]+)`", line)
    }
    assert listed >= {"search", "show", "lint", "breaking", "mint", "gen"}
    context = click.Context(_babelreg)
    for text in COMMANDS:
        _, name, *arguments = shlex.split(text)
        command = _babelreg.get_command(context, name)
        assert command is not None, text
        if isinstance(command, click.Group):
            command = command.get_command(context, "docs" if arguments[0] == "TARGET" else arguments[0])
            assert command is not None, text
        known = {flag for parameter in command.params for flag in parameter.opts}
        assert {argument for argument in arguments if argument.startswith("--")} <= known, text


@pytest.mark.parametrize(
    "folder, expected",
    [
        pytest.param("registry", "`registry/` is the babelreg registry", id="a folder of the repository"),
        pytest.param(".", "This folder is the babelreg registry", id="the repository itself"),
        pytest.param("a/b", "Pass `--registry a/b` to each command", id="a folder that no search finds"),
    ],
)
def test_the_block_says_where_the_registry_is(folder, expected):
    assert expected in block(folder)


@pytest.mark.parametrize(
    "old, expected",
    [
        pytest.param("", BLOCK, id="no file yet"),
        pytest.param("# Ours\n", f"# Ours\n\n{BLOCK}", id="other lines"),
        pytest.param(f"# Ours\n{OLDER}last\n", f"# Ours\n{BLOCK}last\n", id="an older block"),
        pytest.param(OLDER.replace("\n", "\r\n"), BLOCK.replace("\n", "\r\n"), id="line ends of Windows"),
    ],
)
def test_only_the_block_changes(old, expected):
    result = with_guarded_block("AGENTS.md", old.encode(), BLOCK)
    assert result == expected.encode()
    assert with_guarded_block("AGENTS.md", result, BLOCK) == result


LINES = OLDER.splitlines(keepends=True)


@pytest.mark.parametrize(
    "old, line",
    [
        pytest.param("a\n" + OLDER.replace("Rules:", "Our rules:"), 2, id="an edited line"),
        pytest.param("".join([*LINES[:5], "ours\n", *LINES[5:]]), 1, id="a line of somebody"),
        pytest.param(re.sub(r"\(sum \w+\)", "", OLDER), 1, id="no checksum"),
        pytest.param("".join(LINES[1:]), len(LINES) - 1, id="no beginning"),
        pytest.param("".join(LINES[:-1]), 1, id="no end"),
        pytest.param("a\n" + "".join(LINES[1:-1]), 2, id="no marker lines"),
        pytest.param(OLDER + OLDER, 1, id="two blocks"),
    ],
)
def test_an_edited_block_is_refused_with_its_line_and_the_difference(old, line):
    with pytest.raises(EditedBlockError) as caught:
        with_guarded_block("AGENTS.md", old.encode(), BLOCK)
    assert (caught.value.place.path, caught.value.place.line) == ("AGENTS.md", line)
    assert (caught.value.old, BLOCK in caught.value.new) == (old, True)


@pytest.mark.parametrize(
    "old, expected",
    [
        pytest.param(b"# Ours\n", b"# Ours\n\n@AGENTS.md\n", id="added"),
        pytest.param(b"@AGENTS.md\n# Ours\n", b"@AGENTS.md\n# Ours\n", id="there already"),
    ],
)
def test_claude_md_includes_the_file(old, expected, tmp_path):
    registry = Registry(tmp_path, settings=None, messages=())
    files = {file.path: file for file in TARGETS["agents"].files(registry, {"folder": "registry", "claude": True})}
    assert files["CLAUDE.md"].edit(old) == expected
    assert set(files) == {"AGENTS.md", "CLAUDE.md"}
