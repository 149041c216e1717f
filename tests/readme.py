"""The console blocks and the reference of README.md, run for real: ``python tests/readme.py --write`` renews them.

A block of three backticks and ``console`` holds commands (``$ …``) and what they print; the blocks run one after the
other in one empty folder. Between ``<!-- reference -->`` and ``<!-- /reference -->`` stands what the code says of itself.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_COMMAND = re.compile(r"^\$ (.*<<'END'\n(?:.*\n)*?END$|.*)", re.MULTILINE)
REFERENCE = re.compile(r"(?<=<!-- reference -->\n).*?(?=<!-- /reference -->)", re.DOTALL)


def renewed(text: str, folder: Path) -> str:
    """``text`` with every console block's output as it is when run in ``folder``, and the reference as the code says."""
    text = BLOCK.sub(lambda match: f"```console\n{_ran(match[1], folder)}```", text)
    return REFERENCE.sub(lambda _: reference(), text)


def _ran(block: str, folder: Path) -> str:
    shims = folder / ".bin"
    shims.mkdir(exist_ok=True)
    for name, words in (("babelreg", "-m babelreg"), ("python", "")):
        (shims / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {words} "$@"\n')
        (shims / name).chmod(0o755)
    env = {
        **os.environ,
        "PATH": f"{shims}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": f"{ROOT}{os.pathsep}{folder}",
        "COLUMNS": "80",
        "NO_COLOR": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_AUTHOR_NAME": "you",
        "GIT_AUTHOR_EMAIL": "you@example.com",
        "GIT_COMMITTER_NAME": "you",
        "GIT_COMMITTER_EMAIL": "you@example.com",
        "GIT_AUTHOR_DATE": "2026-11-20T12:00:00Z",
        "GIT_COMMITTER_DATE": "2026-11-20T12:00:00Z",
        "BABELREG_CACHE_DIR": os.environ.get("BABELREG_CACHE_DIR", str(folder / ".cache")),
    }
    said = []
    for command in _COMMAND.findall(block):
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=folder,
            env=env,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        output = done.stdout.replace(str(folder), "~").replace(sys.executable, "python")
        said.append(f"$ {command}\n{output}")
    return "".join(said)


def reference() -> str:
    """Every command with its options, and every rule, as Markdown."""
    from importlib import import_module

    import click

    from babelreg.cli import COMMANDS
    from babelreg.cli.grammar import add_shared_options
    from babelreg.cli.manual import entries
    from babelreg.cli.manual_reasons import reasons, sentence

    shared = click.Command("babelreg", params=[])
    add_shared_options(shared)
    lines = ["\n### Commands\n", "Every command takes:\n", *_options(shared, click.Context(shared), shared=True)]
    for name, (module, line) in COMMANDS.items():
        command = import_module(module).command
        lines.append(f"**`babelreg {name}`** {line}\n")
        lines.extend(_options(command, click.Context(command, info_name=name)))
        for below in sorted(getattr(command, "commands", {})):
            inner = command.commands[below]
            lines.append(f"**`babelreg {name} {below}`** {inner.get_short_help_str(200)}\n")
            lines.extend(_options(inner, click.Context(inner, info_name=below)))
    lines.append(
        "### Rules\n\n`babelreg explain RULE` prints a rule's page: why, and an example done wrong and right.\n"
    )
    lines.append("| Rule | Command | Severity | Reports |\n| --- | --- | --- | --- |")
    for verb, entry in entries().values():
        summary = entry.summary.replace("|", "\\|")
        lines.append(f"| `{entry.rule}` | {verb} | {entry.severity.value} | {summary} |")
    lines.append(
        "\n### Reasons\n\nWhy `babelreg validate`, a consumer or `babelreg spark ingest` refuses a message; "
        "`babelreg rules --family reasons` lists them, `babelreg explain REASON` prints the page of one.\n"
    )
    lines.append("| Reason | Kind | Means |\n| --- | --- | --- |")
    for code, (kind, meaning) in reasons().items():
        lines.append(f"| `{code}` | {kind} | {sentence(meaning)} |")
    return "\n".join(lines) + "\n\n"


def _options(command, context, *, shared=False) -> list[str]:
    rows = []
    for param in command.get_params(context):
        record = param.get_help_record(context)
        if not shared and {"-C", "-q"} & set(param.opts):
            continue  # those of every command
        if record and record[1] and "--help" not in record[0]:
            rows.append(f"- `{record[0]}` {' '.join(record[1].split())}")
    return [*rows, ""] if rows else []


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    with tempfile.TemporaryDirectory() as temporary:
        text = renewed(README.read_text("utf-8"), Path(temporary))
    if "--write" in sys.argv:
        README.write_text(text, "utf-8")
    elif text != README.read_text("utf-8"):
        sys.exit("README.md is behind: python tests/readme.py --write")
