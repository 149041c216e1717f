"""``babelreg completion``: the answers, and the scripts in the shells they are for."""

from __future__ import annotations

import os
import pty
import re
import select
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import commands
import pytest
import steps

REPOSITORY = Path(__file__).parents[2]
MOST_STEPS_A_MESSAGE, MOST_STEPS_BEFORE_MESSAGES = 170, 100_000
BREAKS = " \t\n\"'@><=;|&(:"
MESSAGES = ("orders/created", "orders/created.v2", "orders/cancelled", "billing/invoice.issue")
URNS = [f"urn:babel:{path.replace('/', ':')}" for path in sorted(MESSAGES)]


@pytest.fixture
def registry(tmp_path: Path) -> Path:
    """A registry, broken in every file but the settings: completing reads none of them."""
    root = tmp_path / "registry"
    for path in MESSAGES:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / f"{path}.yaml").write_text("urn: [\n")
    (root / "babelreg.yaml").write_text("version: 1\n")
    for odd in ("_context.yaml", "$(touch x).yaml", "a b.yaml", "notes.txt", "Ünï.yaml", "new\nline.yaml"):
        (root / "orders" / odd).write_text("")
    (root / "_services").mkdir()
    (root / "_services" / "orders-api.yaml").write_text("")
    return root


@pytest.fixture
def shims(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for the path that holds ``babelreg``."""
    folder = tmp_path_factory.mktemp("bin")
    (folder / "babelreg").write_text(f'#!/bin/sh\nexec {shlex.join(commands.words())} "$@"\n')
    (folder / "babelreg").chmod(0o755)
    return folder


def ask(*words: str, at: Path) -> subprocess.CompletedProcess[str]:
    return commands.run("completion", *words, at=at)


def values(*words: str, at: Path) -> list[str]:
    done = ask("fish", "--", "babelreg", *words, at=at)
    assert (done.returncode, done.stderr) == (0, "")
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    return [row[1] if row[0] == "plain" else f"<{row[0]}>" for row in rows]


@pytest.mark.parametrize(
    "words, found",
    [
        pytest.param(["mi"], ["mint"], id="a command"),
        pytest.param(["mint", ""], URNS, id="every URN"),
        pytest.param(["mint", "urn:babel:bil"], ["urn:babel:billing:invoice.issue"], id="a URN begun"),
        pytest.param(["validate", "--data", "urn:babel:orders:created"], URNS[2:], id="the URN of an option"),
        pytest.param(["drain", "redis", "redis://h", "o"], ["orders-api", "orders-api.dlq"], id="an inbox"),
        pytest.param(["redrive", "--from", "orders-api."], ["orders-api.dlq"], id="dead letters of an inbox"),
        pytest.param(["mint", "--registry", "nowhere", ""], [], id="a registry that is none"),
        pytest.param(["lint", "--format", "js"], ["json", "jsonl"], id="a fixed choice"),
        pytest.param(["lint", "--format=js"], ["--format=json", "--format=jsonl"], id="a choice in one word"),
        pytest.param(["lint", "--fail"], ["--fail-on"], id="an option"),
        pytest.param(["explain", "urn-upp"], ["urn-uppercase"], id="a rule of lint"),
        pytest.param(["explain", "yaml-synt"], ["yaml-syntax"], id="a defect"),
        pytest.param(["explain", "enum-value-a"], ["enum-value-added"], id="a rule of breaking"),
        pytest.param(["gen", "sp"], ["spark"], id="a target"),
        pytest.param(["lint", "ord"], ["<file>"], id="a path is the shell's"),
        pytest.param(["lint", "--registry", ""], ["<dir>"], id="no registry below"),
        pytest.param(["lint", "--registry", "../"], ["../registry", "<dir>"], id="a registry beside"),
        pytest.param(["nosuch", ""], [], id="no command"),
        pytest.param([], [], id="nothing"),
        pytest.param(["mint", "--sunset"], ["--sunset"], id="an option without its value"),
    ],
)
def test_candidates(words: list[str], found: list[str], registry: Path) -> None:
    assert values(*words, at=registry) == found


def test_every_rule_is_a_candidate(registry: Path) -> None:
    from babelreg.cli.manual.rule_catalog import every_entry

    assert values("explain", "", at=registry) == sorted(every_entry())


def test_every_command_is_a_candidate(registry: Path) -> None:
    from babelreg.cli import COMMANDS

    assert values("", at=registry) == list(COMMANDS)


@pytest.mark.parametrize(
    "line, breaks, found",
    [
        pytest.param("babelreg mint urn:babel:bil", BREAKS, ["billing:invoice.issue"], id="only the last part"),
        pytest.param("babelreg mint urn:babel:billing:", BREAKS, ["invoice.issue"], id="after a colon"),
        pytest.param("babelreg mint urn:babel:bil", " =", [URNS[0]], id="colons break no words"),
        pytest.param("babelreg mint 'urn:babel:bil", BREAKS, [URNS[0]], id="quotes keep words together"),
        pytest.param("babelreg  mint   u", BREAKS, URNS, id="several spaces"),
        pytest.param("babelreg lint --format=js", BREAKS, ["json", "jsonl"], id="after an equals sign"),
        pytest.param("babelreg lint --format=js", " :", ["--format=json", "--format=jsonl"], id="which breaks no word"),
        pytest.param("", BREAKS, [], id="an empty line"),
    ],
)
def test_bash_replaces_what_follows_a_break(line: str, breaks: str, found: list[str], registry: Path) -> None:
    done = ask("bash", "--", line, breaks, at=registry)
    assert [row.split("\t")[1] for row in done.stdout.splitlines()] == found
    assert (done.returncode, done.stderr) == (0, "")


COMPLETE_MINT = f"""
import contextlib, sys
sys.path.insert(0, sys.argv[1])
from steps import steps
from babelreg.cli import main
def complete():
    with contextlib.suppress(SystemExit):
        main(['completion', 'bash', '--', 'babelreg mint urn:', {BREAKS!r}])
print(steps(complete))
"""


def test_a_thousand_messages_are_completed_in_few_steps(tmp_path: Path) -> None:
    """The bar is 200 ms, which the benchmark of lint measures: here it is what the work of a process grows with."""

    def taken(count: int) -> int:
        folder = tmp_path / str(count)
        for number in range(count):
            file = folder / f"context-{number % 20}" / f"name.{number}.yaml"
            file.parent.mkdir(exist_ok=True, parents=True)
            file.touch()
        (folder / "babelreg.yaml").write_text("version: 1\n")
        env = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
        command = [sys.executable, "-c", COMPLETE_MINT, str(Path(steps.__file__).parent)]
        done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=True)
        *rows, told = done.stdout.splitlines()
        assert len(rows) == count
        return int(told)

    few, many = taken(100), taken(1000)
    assert (many - few) / 900 < MOST_STEPS_A_MESSAGE
    assert few < MOST_STEPS_BEFORE_MESSAGES


def test_completing_imports_no_rule_and_reads_no_yaml(registry: Path) -> None:
    program = (
        "import sys; from babelreg.cli import main\n"
        "try: main(['completion', 'bash', '--', 'babelreg explain urn', ':'])\n"
        "finally: print(sorted(m for m in sys.modules if m == 'yaml' or m.startswith('babelreg.lint.rules')))"
    )
    env = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    done = subprocess.run([sys.executable, "-c", program], cwd=registry, env=env, capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_a_shell_that_is_none_is_wrong_use(tmp_path: Path) -> None:
    assert ask("csh", at=tmp_path).returncode == 2


def interactive(shell: list[str], at: Path, shims: Path, setup: str, typed: str) -> str:
    """What a shell on a terminal has in its line after ``typed``: the line is turned into an ``echo`` of itself."""
    env = {**os.environ, "PATH": f"{shims}{os.pathsep}{os.environ['PATH']}", "TERM": "dumb", "HOME": str(at),
           "PS1": "$ ", "INPUTRC": os.devnull, "HISTFILE": os.devnull}  # fmt: skip
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(at)
        os.execvpe(shell[0], shell, env)
    try:
        os.write(terminal, f"{setup}; echo rea''dy\r".encode())
        _read(terminal, r"^ready\s*$")
        # The shell reads on when it has completed: beginning of the line, echo, end of the line.
        os.write(terminal, f"{typed}\x01echo '<'\x05'>'\r".encode())
        found = _read(terminal, r"^< ?(.*?) ?>\s*$")
        os.write(terminal, b"exit\r")
        return found.strip()
    finally:
        os.close(terminal)
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)


def _read(terminal: int, line: str) -> str:
    """What the last group of ``line`` matches, as soon as the shell has printed such a line."""
    said = b""
    ends = time.monotonic() + 60
    while time.monotonic() < ends and select.select([terminal], [], [], 60)[0]:
        said += os.read(terminal, 65536)
        match = re.search(line, said.decode("utf-8", "replace").replace("\r", ""), re.MULTILINE)
        if match:
            return match[match.lastindex or 0]
    raise AssertionError(said)


LINES = [
    pytest.param("babelreg mint urn:babel:bil\t", "babelreg mint urn:babel:billing:invoice.issue", id="a URN"),
    pytest.param("babelreg mint u\t", "babelreg mint urn:babel:", id="what all URNs share"),
    pytest.param("babelreg exp\t", "babelreg explain", id="a command"),
    pytest.param("babelreg explain enum-value-a\t", "babelreg explain enum-value-added", id="a rule"),
    pytest.param("babelreg lint --registry ../reg\t", "babelreg lint --registry ../registry", id="a registry"),
    pytest.param("babelreg lint --format=sar\t", "babelreg lint --format=sarif", id="a choice in one word"),
    pytest.param("babelreg lint babelr\t", "babelreg lint babelreg.yaml", id="a file"),
    pytest.param("babelreg mint zzz\t", "babelreg mint zzz", id="nothing"),
]


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
@pytest.mark.parametrize("typed, line", LINES)
def test_bash(typed: str, line: str, registry: Path, shims: Path) -> None:
    got = interactive(
        ["bash", "--norc", "--noprofile", "-i"], registry, shims, 'eval "$(babelreg completion bash)"', typed
    )
    assert got.rstrip("/") == line


@pytest.mark.skipif(shutil.which("zsh") is None, reason="needs zsh")
@pytest.mark.parametrize("typed, line", LINES)
def test_zsh(typed: str, line: str, registry: Path, shims: Path) -> None:
    setup = 'unsetopt beep; autoload -U compinit; compinit -u -D; eval "$(babelreg completion zsh)"; bindkey -e'
    got = interactive(["zsh", "-f", "-i"], registry, shims, setup, typed)
    assert got.rstrip("/") == line


@pytest.mark.skipif(shutil.which("fish") is None, reason="needs fish")
@pytest.mark.parametrize(
    "line, found",
    [
        pytest.param("babelreg mint urn:babel:bil", ["urn:babel:billing:invoice.issue"], id="a URN"),
        pytest.param("babelreg exp", ["explain"], id="a command"),
        pytest.param("babelreg lint --registry ../reg", ["../registry", "../registry/"], id="a registry"),
        pytest.param("babelreg lint babelr", ["babelreg.yaml"], id="a file"),
        pytest.param("babelreg mint zzz", [], id="nothing"),
    ],
)
def test_fish(line: str, found: list[str], registry: Path, shims: Path) -> None:
    env = {**os.environ, "PATH": f"{shims}{os.pathsep}{os.environ['PATH']}", "HOME": str(registry)}
    program = f"babelreg completion fish | source; complete -C '{line}'"
    done = subprocess.run(["fish", "--no-config", "-c", program], cwd=registry, env=env, capture_output=True, text=True)
    assert [row.split("\t")[0] for row in done.stdout.splitlines()] == found, done.stderr
