"""The world around a command: full disks, closed streams, poor consoles, odd names, links. Each in a process of its own."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import commands
import pytest
from fuzzing import case, guard

FULL = Path("/dev/full")
needs_full = pytest.mark.skipif(not FULL.exists(), reason="this system has no /dev/full")
needs_sh = pytest.mark.skipif(shutil.which("sh") is None, reason="needs a shell to close streams")


@pytest.fixture
def registry(tmp_path: Path) -> Path:
    shutil.copytree(case.REGISTRY, tmp_path / "registry")
    return tmp_path / "registry"


def shell(line: str, registry: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a line of shell in which ``babelreg`` is ours and ``$R`` the registry.

    A line that closes streams, and an environment that says how to decode them, are for a new interpreter.
    """
    new = environment or "&-" in line
    babelreg = f'babelreg() {{ {shlex.join([sys.executable, "-m", "babelreg"] if new else commands.words())} "$@"; }}; '
    env = {**os.environ, "R": str(registry), "PYTHONPATH": str(case.REGISTRY.parent), **environment}
    return subprocess.run(
        ["sh", "-c", babelreg + line], cwd=registry.parent, env=env, capture_output=True, text=True, encoding="utf-8",
        errors="surrogateescape", timeout=120,
    )  # fmt: skip


@needs_full
@needs_sh
@pytest.mark.parametrize(
    "line",
    [
        pytest.param('babelreg rules > /dev/full', id="a table"),
        pytest.param('babelreg lint --registry "$R" --format json > /dev/full', id="a report"),
        pytest.param('babelreg lint --registry "$R" --output /dev/full --format json', id="a report by name"),
        pytest.param('babelreg gen spark --registry "$R" --out /dev/full', id="generated files"),
    ],
)  # fmt: skip
def test_a_full_disk_is_no_bug_of_ours(line: str, registry: Path) -> None:
    ran = shell(line, registry)
    assert ran.returncode == 2
    assert ran.stderr.splitlines()[-2].startswith("babelreg: error: ")
    assert "Traceback" not in ran.stderr


@needs_full
@needs_sh
def test_a_full_disk_under_the_notes_is_told_by_the_exit_code(registry: Path) -> None:
    assert shell('babelreg lint --registry "$R" 2> /dev/full', registry).returncode == 2


@needs_sh
@pytest.mark.parametrize(
    "line, code",
    [
        pytest.param('babelreg rules >&-', 0, id="no stdout"),
        pytest.param('babelreg lint --registry "$R" >&- 2>&-', 0, id="neither stdout nor stderr"),
        pytest.param('babelreg lint --registry "$R" <&- >&-', 0, id="neither stdin nor stdout"),
        pytest.param('babelreg validate --registry "$R" <&-', 2, id="no stdin where messages come from"),
        pytest.param('babelreg rules | head -1 > /dev/null', 0, id="a reader that has read enough"),
    ],
)  # fmt: skip
def test_a_closed_stream_is_no_bug_of_ours(line: str, code: int, registry: Path) -> None:
    ran = shell(line, registry)
    assert (ran.returncode, "Traceback" in ran.stderr) == (code, False), ran.stderr


@needs_sh
@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252", "utf-16"])
def test_a_console_without_the_letter_gets_an_escape(encoding: str, registry: Path) -> None:
    path = registry / "orders" / "_context.yaml"
    path.write_text(path.read_text("utf-8") + "ключ_ﬁ_\U0001f600: 1\n", "utf-8")
    ran = shell('babelreg lint --registry "$R"', registry, PYTHONIOENCODING=encoding)
    assert ran.returncode == 1
    assert "bug in babelreg" not in ran.stderr


@needs_sh
@pytest.mark.parametrize(
    "environment",
    [
        pytest.param({"LC_ALL": "C"}, id="C"),
        pytest.param({"LC_ALL": "POSIX", "PYTHONCOERCECLOCALE": "0"}, id="POSIX"),
        pytest.param({"LC_ALL": "C", "PYTHONUTF8": "0"}, id="C without Python's UTF-8 mode"),
    ],
)
def test_names_are_readable_in_a_locale_without_letters(environment: dict[str, str], registry: Path) -> None:
    (registry / "orders" / "größe.yaml").write_text("urn: urn:babel:orders:grosse\nkind: event\n", "utf-8")
    ran = shell(
        'babelreg lint "$R/orders/größe.yaml"; babelreg lint "$R"; babelreg lint "$R"/ö.yaml', registry, **environment
    )
    assert ran.stdout.count("orders/größe.yaml:1:1: error") == 2
    assert "/ö.yaml does not exist" in ran.stderr
    assert "\\udc" not in ran.stdout + ran.stderr


@needs_sh
@pytest.mark.parametrize(
    "command", ["lint --registry", "lint", "breaking --against", "validate --registry", "compare x"]
)
def test_a_name_too_long_is_an_error_of_use(command: str, registry: Path) -> None:
    ran = shell(f"babelreg {command} {'a' * 5000}", registry)
    assert (ran.returncode, "Traceback" in ran.stderr) == (2, False)


@pytest.mark.parametrize(
    "folder, name",
    [
        pytest.param("orders", b"a\nb.yaml", id="a line break"),
        pytest.param("_common", b"\xff\xfe.yaml", id="no UTF-8, beside what others refer to"),
        pytest.param("orders", b"\x1b[31mred.yaml", id="an escape sequence"),
        pytest.param("_common", b"\x1b[31mred.yaml", id="an escape sequence, beside what others refer to"),
        pytest.param("orders", "\u202egro.yaml".encode(), id="reversed text"),
        pytest.param("_common", b"-rf.yaml", id="an option, beside what others refer to"),
        pytest.param("orders", b"$(id).yaml", id="a command"),
        pytest.param("_common", b"a" * 200 + b".yaml", id="two hundred letters, beside what others refer to"),
        *(
            pytest.param(folder, name, marks=pytest.mark.long)
            for folder, name in (
                ("_common", b"a\nb.yaml"), ("orders", b"\xff\xfe.yaml"), ("_common", "\u202egro.yaml".encode()),
                ("orders", b"-rf.yaml"), ("_common", b"$(id).yaml"), ("orders", b"a" * 200 + b".yaml"),
            )
        ),
    ],
)  # fmt: skip
def test_odd_file_names_are_reported_and_never_reach_the_terminal(folder: str, name: bytes, tmp_path: Path) -> None:
    with case.bench() as bench:
        (bench.registry / folder).mkdir(exist_ok=True)
        (bench.registry / folder / os.fsdecode(name)).write_bytes(b"urn: urn:babel:orders:odd\nnope: 1\n")
        assert bench.lint() == []
        wrongs = [w for arguments, writes in bench.every_command() for w in bench.run(*arguments, writes=writes)[1]]
        assert wrongs == []


@pytest.mark.parametrize(
    "target", ["outside/secret.yaml", "nowhere", "registry/orders/link.yaml", "pipe", "registry/babelreg.yaml"]
)
def test_a_link_is_never_opened_where_it_leads_out(target: str) -> None:
    with case.bench() as bench:
        os.mkfifo(bench.top / "pipe")
        link = bench.registry / "orders" / "link.yaml"
        link.symlink_to(bench.top / target)
        assert bench.lint() == []


def test_a_registry_that_is_a_link_is_read_and_minted_in(tmp_path: Path, registry: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(registry)
    for command in ("lint", "gen spark --out out", "mint urn:babel:orders:created.v2", "lint"):
        ran = shell(f"babelreg {command} --registry link", registry)
        assert ran.returncode == 0, ran.stderr
    assert (registry / "orders" / "created.v3.yaml").is_file()


@pytest.mark.parametrize("error", [PermissionError(13, "Permission denied"), OSError(5, "Input/output error")])
def test_a_file_that_cannot_be_read_is_a_defect(
    error: OSError, registry: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As root every file can be opened, so the refusal is played."""
    from babelreg import load

    really = os.open

    def refusing(path: str, *rest: int) -> int:
        if str(path).endswith("orders/created.yaml"):
            raise error
        return really(path, *rest)

    monkeypatch.setattr(os, "open", refusing)
    (defect,) = load.registry(registry).defects
    assert (defect.rule, defect.place.path) == ("file-unreadable", "orders/created.yaml")


def test_names_alike_but_for_case_are_reported(registry: Path) -> None:
    from babelreg import lint, load

    text = (registry / "orders" / "created.yaml").read_text("utf-8")
    try:
        (registry / "orders" / "Created.yaml").write_text(text.replace("orders:created", "orders:Created"), "utf-8")
        alike = (registry / "orders" / "created.yaml").read_text("utf-8") == text
    except OSError:
        alike = False
    if not alike:
        pytest.skip("this disk takes both names for one")
    found = [f for f in lint.run(load.registry(registry)) if "Created.yaml" in f.place.path]
    assert found


def test_the_forbidden_folder_tells_of_every_reader(tmp_path: Path) -> None:
    (tmp_path / "secret.yaml").write_text("x")
    with guard.forbidden_folder(tmp_path) as opened:
        assert opened() == 0
        (tmp_path / "secret.yaml").read_text()
        assert opened() > 0 or not sys.platform.startswith("linux")
