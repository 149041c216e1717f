"""Command blocks of a Markdown page: run them in one shell, and insert what they print.

A block of ``sh`` holds commands without a prompt, so that the button that copies a block copies what can be run. What
they print follows in a block of ``output``. Blocks of ``bash`` are shown and not run. All blocks of a page run from top
to bottom in one shell, as a reader pastes them. They start in a home folder that is empty, so the first command of a
page makes the folder it works in: ``mkdir shop && cd shop``.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from babelreg.gen.targets.python.runtime_package import package_files

__all__ = ["BLOCK", "PageError", "check", "commands", "renew"]

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"^```sh\n((?:.*\n)*?)```\n(?:\n```output\n(?:.*\n)*?```\n)?", re.MULTILINE)
_COMMAND = re.compile(r"^(.*<<'END'\n(?:.*\n)*?END|(?:.*\\\n)*.*)\n", re.MULTILINE)
_START = re.compile(r"mkdir ([\w-]+) && cd \1")
_CRASH = re.compile(r"^(Traceback |babelreg: this is a bug in babelreg)", re.MULTILINE)
PROGRAM = (sys.executable, "-m", "babelreg")
_SEPARATOR = "\x1e"
_TIMEOUT_SECONDS = 900


class PageError(Exception):
    """A page whose command blocks cannot be run as a reader runs them."""


def commands(text: str) -> list[str]:
    """Return the commands of all blocks of a page, in order."""
    return [command for block in BLOCK.findall(text) for command in _COMMAND.findall(block)]


def check(text: str) -> str:
    """Return the name of the folder that the page works in. Raise PageError when a reader could not run the blocks."""
    listed = commands(text)
    start = _START.fullmatch(listed[0])
    if start is None:
        raise PageError(f"the first command is not `mkdir NAME && cd NAME`: {listed[0]}")
    folder = start[1]
    if f"`{folder}`" not in text.partition("```sh\n")[0]:
        raise PageError(f"the text before the first block does not name the folder `{folder}`")
    for command in listed:
        line = command.partition("\n")[0]
        if line.startswith("$ "):
            raise PageError(f"a command has a prompt, which is copied with it: {line}")
        if re.search(r"\bsed\b", line):
            raise PageError(f"a command uses sed: {line}")
        if re.search(r"\bcd\s+[/~-]", line):
            raise PageError(f"a command leaves its folder: {line}")
        if "babelreg mint " in line and "--sunset" not in line:
            raise PageError(f"mint asks for the sunset on a terminal, and reads the next command as the answer: {line}")
        if "!" in line or re.search(r"(^|\s)#", line):
            raise PageError(f"an interactive shell reads ! and # in its own way: {line}")
    return folder


def renew(text: str, home: Path, program: Sequence[str] = PROGRAM) -> str:
    """Return the page with the current output of its commands.

    ``home`` is an empty folder; ``program`` are the words in place of ``babelreg``.
    """
    if not BLOCK.search(text):
        return text
    folder = check(text)
    outputs = iter(_run([block[1] for block in BLOCK.finditer(text)], home, program))
    renewed = BLOCK.sub(lambda block: f"```sh\n{block[1]}```\n{_output_block(next(outputs))}", text)
    others = sorted({path.name for path in home.iterdir() if not path.name.startswith(".")} - {folder})
    if others:
        raise PageError(f"the page writes outside its folder `{folder}`: {', '.join(others)}")
    return renewed


def _output_block(output: str) -> str:
    if not output:
        return ""
    return f"\n```output\n{output}{'' if output.endswith(chr(10)) else chr(10)}```\n"


def _run(blocks: list[str], home: Path, program: Sequence[str]) -> list[str]:
    script = home / ".blocks.sh"
    script.write_text("".join(f"printf '\\036'\n{block}" for block in blocks), "utf-8")
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", str(script)],
        cwd=home,
        env=_environment(home, program),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=_TIMEOUT_SECONDS,
        check=False,
    )
    outputs = done.stdout.replace(str(home), "~").replace(sys.executable, "python").split(_SEPARATOR)[1:]
    if len(outputs) != len(blocks):
        raise PageError(f"the shell ended after {len(outputs)} of {len(blocks)} blocks:\n{done.stdout}")
    for output in outputs:
        if _CRASH.search(output):
            raise PageError(f"a command crashed, which no page shows:\n{output}")
    return outputs


def _environment(home: Path, program: Sequence[str]) -> dict[str, str]:
    """Return a new user's environment: babelreg and python on the path, git with a name, a fixed date.

    The runtime of generated code is installed, as the pages say that it has to be.
    """
    shims, site = home / ".bin", home / ".site"
    shims.mkdir()
    for path, source in package_files():
        (site / path).parent.mkdir(parents=True, exist_ok=True)
        (site / path).write_text(source, "utf-8")
    for name, words in (("babelreg", program), ("python", PROGRAM[:1])):
        (shims / name).write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT}:{site}" exec {shlex.join(words)} "$@"\n', "utf-8")
        (shims / name).chmod(0o755)
    identity = {"NAME": "you", "EMAIL": "you@example.com", "DATE": "2026-11-20T12:00:00Z"}
    inherited = {name: os.environ[name] for name in ("JAVA_HOME", "TMPDIR") if name in os.environ}
    return {
        **inherited,
        **{f"GIT_{role}_{name}": value for role in ("AUTHOR", "COMMITTER") for name, value in identity.items()},
        "GIT_CONFIG_GLOBAL": os.devnull,
        "PATH": f"{shims}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
        "COLUMNS": "80",
        "PYTHONUNBUFFERED": "1",  # as on a terminal, where stdout and stderr keep their order
        "NO_COLOR": "1",
        "BABELREG_CACHE_DIR": os.environ.get("BABELREG_CACHE_DIR", str(home / ".cache")),
    }
