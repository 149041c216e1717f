"""``babelreg demo``: the whole job on the example registry, with the real commands, into one folder.

A second run goes on where the first ended: what is generated stays as it is, new messages are recorded, and only they
are ingested.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import click

from babelreg.atomic_write import write_whole
from babelreg.cli.shared.common_options import LocalPath, examples
from babelreg.errors import BabelregError, UsageError

MARK = ".babelreg-demo"
CHANGED = "orders/created.v2.yaml"
URN = "urn:babel:orders:created.v2"


@click.command(epilog=examples("babelreg demo", "babelreg demo --out /tmp/demo --messages 200"))
@click.option(
    "--out",
    metavar="DIR",
    type=LocalPath(file_okay=False),
    default=Path("demo"),
    show_default=True,
    help="The folder to work in.",
)
@click.option(
    "--messages",
    default=2000,
    show_default=True,
    type=click.IntRange(20, 1_000_000),
    help="Number of messages to send.",
)
def command(out: Path, messages: int) -> None:
    """Run all steps on the example registry.

    Lints it, refuses a breaking change and mints it as a new version, generates code, publishes and records messages on
    the memory transport, damages some, and ingests them all. Needs the extras runtime and lake.
    """
    _need("babelqueue", "runtime")
    _need("pyarrow", "lake")
    _need("numpy", "lake")
    started = time.monotonic()
    _prepare(out)
    step = _DemoSteps(out)
    step.lint()
    step.change()
    step.generate()
    recorded = step.publish(messages)
    step.ingest()
    step.summary(recorded, time.monotonic() - started)


def _need(module: str, extra: str) -> None:
    if importlib.util.find_spec(module) is None:
        fix = "pip install 'babelreg[runtime,lake]'"
        raise UsageError(f"the demo needs {module}, which comes with the extra '{extra}'", fix=fix)


def _prepare(out: Path) -> None:
    """Make the folder ours, with a copy of the example registry in it. Raises UsageError when it is somebody else's."""
    from babelreg.load.service.starter import example_folder

    if out.exists() and any(out.iterdir()) and not (out / MARK).exists():
        raise UsageError(f"{out} is not empty and was not created by a demo", fix="babelreg demo --out ANOTHER-FOLDER")
    out.mkdir(parents=True, exist_ok=True)
    (out / MARK).write_text("Made by `babelreg demo`; safe to delete.\n", "utf-8")
    if not (out / "registry").exists():
        unfinished = out / ".registry.part"
        shutil.rmtree(unfinished, ignore_errors=True)
        shutil.copytree(example_folder(), unfinished)
        unfinished.rename(out / "registry")


class _DemoSteps:
    """The steps of the demo, numbered as they come; each shows the command it runs."""

    def __init__(self, out: Path) -> None:
        self.out = out
        self.number = 0

    def lint(self) -> None:
        self.title("The registry is in order")
        self.run("lint", "--registry", self.out / "registry")

    def change(self) -> None:
        """In a copy, a field becomes required; that is refused, and minted as the next version."""
        self.title("A breaking change is refused, with a message that would break")
        copy = self.out / "changed"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(self.out / "registry", copy)
        file = copy / CHANGED
        old, new = "required: [order_id, total]", "required: [order_id, total, email]"
        text = file.read_text("utf-8")
        if old not in text:
            raise UsageError(f"{file} was edited: '{old}' is missing", fix=f"rm -r {shlex.quote(str(self.out))}")
        file.write_text(text.replace(old, new), "utf-8")
        click.echo(f"   In {file}:\n   - {old}\n   + {new}\n")
        against = ("--against", self.out / "registry")
        self.run("breaking", copy, *against, expect=1)
        click.echo("\n   So it becomes a new version, and both run side by side:\n")
        self.run("mint", URN, "--registry", copy, *against)
        self.run("breaking", copy, *against)
        self.run("lint", "--registry", copy)

    def generate(self) -> None:
        self.title("Code, Spark schemas and docs are generated")
        for target, folder in (("python", "."), ("spark", "tables"), ("docs", "docs")):
            self.run("gen", target, "--registry", self.out / "registry", "--out", self.out / folder)

    def publish(self, messages: int) -> Path:
        """Return the file of recorded messages, some of them damaged."""
        from babelreg.gen.render import render

        self.title("The generated producers publish; a few of the recorded messages are damaged")
        script = self.out / "publish.py"
        script.write_text(render("demo", "publish.py.jinja", {}), "utf-8")
        folder = self.out / "recorded"
        folder.mkdir(exist_ok=True)
        file = folder / f"run-{len(list(folder.glob('run-*.jsonl'))) + 1:03}.jsonl"
        drained = self.out / ".drained"
        shutil.rmtree(drained, ignore_errors=True)
        typed = shlex.join(["python", str(script), str(messages), str(folder)])
        self.shell([sys.executable, script.name, str(messages), drained.name], shown=typed, cwd=self.out)
        for line in _damage(drained, file):
            click.echo(f"   damaged: {line}")
        return file

    def ingest(self) -> None:
        self.title("Valid messages become typed tables; the others are quarantined with a reason")
        args = ("--input", self.out / "recorded", "--lake", self.out / "lake")
        named = ("--registry", self.out / "registry", "--output", self.out / "report.html")
        self.run("lake", "ingest", *args, *named)

    def summary(self, recorded: Path, seconds: float) -> None:
        self.title(f"Done in {seconds:.0f} s. See")
        rows = [
            ("registry/", "the registry; change something and run the demo again"),
            (f"changed/{CHANGED.replace('v2', 'v3')}", "the minted version"),
            ("messages/orders_created_v2.py", "typed data and its producer"),
            ("docs/README.md", "one page per message"),
            (recorded.relative_to(self.out).as_posix(), "the recorded messages"),
            ("lake/tables/", "Delta tables, one per message; lake/quarantine has the refused"),
            ("report.html", "the refused messages and why; open it in a browser"),
        ]
        for path, description in rows:
            click.echo(f"   {self.out / path!s:44} {description}")
        click.echo(
            "\nNext: babelreg explain urn-syntax, or run the demo again: it ingests only new messages.\n"
            "Your own registry: babelreg init registry"
        )

    def title(self, text: str) -> None:
        self.number += 1
        click.secho(f"\n{self.number}. {text}", bold=True)

    def run(self, *args: str | Path, expect: int = 0) -> None:
        """Run a babelreg command as a user would, and show it with what it prints."""
        words = [str(arg) for arg in args]
        self.shell([sys.executable, "-m", "babelreg", *words], shown=shlex.join(["babelreg", *words]), expect=expect)

    def shell(self, words: list[str], *, shown: str, expect: int = 0, cwd: Path | None = None) -> None:
        click.echo(f"   $ {shown}")
        # What it shows to break is broken on purpose: nothing to annotate in somebody's GitHub Actions.
        env = {name: value for name, value in os.environ.items() if name != "GITHUB_ACTIONS"}
        done = subprocess.run(
            words, cwd=cwd, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
        )
        for line in done.stdout.splitlines():
            click.echo(f"   {line}".rstrip())
        if done.returncode != expect:
            raise BabelregError(
                f"`{shown}` ended with exit code {done.returncode}, not {expect}",
                fix=f"rm -r {shlex.quote(str(self.out))}",
            )


_DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "cut off in the middle": lambda line: line[: len(line) // 2],
    "no longer UTF-8": lambda line: line.replace(b'"', b'"\xff', 1),
    "an undeclared URN": lambda line: line.replace(b"urn:babel:", b"urn:babel:un", 1),
    "an unknown envelope version": lambda line: line.replace(b'"schema_version":1', b'"schema_version":2'),
    "no trace_id": lambda line: line.replace(b'"trace_id"', b'"trace"', 1),
    "NaN for a number": lambda line: line.replace(b'"data":{', b'"data":{"n":NaN,', 1),
    "data that is a list": lambda line: line.replace(b'"data":{', b'"data":[],"was":{', 1),
    "empty data": lambda line: re.sub(rb'"data":\{.*\},"meta"', b'"data":{},"meta"', line),
    "only braces": lambda line: b"{}",
}


def _recorded(path: Path) -> list[bytes]:
    from babelreg.wire.length_frames import bodies

    with path.open("rb") as file:
        return list(bodies(file))


def _damage(drained: Path, file: Path) -> list[str]:
    """Write the messages below ``drained`` to ``file`` with nine of them damaged and two sent twice; says how."""
    lines = [body for part in sorted(drained.iterdir()) for body in _recorded(part)]
    step = max(len(lines) // 10, 1)
    descriptions = []
    for i, (description, damage) in enumerate(_DAMAGES.items()):
        lines[i * step] = damage(lines[i * step])
        descriptions.append(description)
    twice = [lines[-1], lines[-2]]
    write_whole(file, b"\n".join([*lines, *twice]) + b"\n")
    shutil.rmtree(drained)
    return [", ".join(descriptions[:4]), ", ".join(descriptions[4:]), "and two messages appear twice"]
