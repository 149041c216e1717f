"""The wheel of the runtime: the same bytes wherever it is written, and a requirement that names these bytes alone."""

from __future__ import annotations

import base64
import hashlib
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from generated import write_package
from packaging.requirements import Requirement

from babelreg import __version__, load
from babelreg.cli import main
from babelreg.gen.cache.function_cache import ANSWERS
from babelreg.gen.targets.python import runtime_wheel
from babelreg.gen.targets.python.runtime_package import PACKAGE, package_files

ROOT = Path(__file__).resolve().parents[4]
WHEEL = runtime_wheel.wheel_bytes()
SHA256 = hashlib.sha256(WHEEL).hexdigest()


def written(out: Path, *command: str, **env: str) -> bytes:
    """The wheel that a new process writes."""
    program = [sys.executable, *command, "--out", str(out)]
    subprocess.run(program, cwd=ROOT, env={**os.environ, **env}, check=True, capture_output=True)
    (path,) = out.glob("*.whl")
    assert path.name == runtime_wheel.wheel_name()
    return path.read_bytes()


@pytest.mark.parametrize(
    "command, env",
    [
        pytest.param(["-m", "babelreg", "runtime"], {"PYTHONHASHSEED": "1"}, id="the command"),
        pytest.param(
            ["-m", "babelreg", "runtime"],
            {"PYTHONHASHSEED": "77", "SOURCE_DATE_EPOCH": "1700000000", "TZ": "Asia/Tokyo", "LC_ALL": "C"},
            id="at another time and place",
        ),
        pytest.param(["tools/wheels.py", "--only", "runtime"], {}, id="the script of a release"),
    ],
)
def test_two_builds_have_one_hash(command: list[str], env: dict[str, str], tmp_path: Path) -> None:
    assert hashlib.sha256(written(tmp_path, *command, **env)).hexdigest() == SHA256


def test_the_wheel_holds_the_package_and_what_pip_reads(tmp_path: Path) -> None:
    (tmp_path / "runtime.whl").write_bytes(WHEEL)
    with zipfile.ZipFile(tmp_path / "runtime.whl") as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
        assert {entry.compress_type for entry in archive.infolist()} == {zipfile.ZIP_STORED}
    info = f"{PACKAGE}-{__version__}.dist-info"
    assert {name for name in files if not name.startswith(f"{PACKAGE}/")} == {
        f"{info}/{name}" for name in ("METADATA", "WHEEL", "RECORD", "licenses/LICENSE")
    }
    assert {name: text.encode() for name, text in package_files()}.items() <= files.items()
    record = dict(line.rsplit(",", 2)[:2] for line in files[f"{info}/RECORD"].decode().splitlines())
    assert record.keys() == files.keys()
    for name, checksum in record.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(files[name]).digest()).decode().rstrip("=")
        assert checksum == ("" if name.endswith("/RECORD") else f"sha256={digest}")


def test_the_requirement_is_a_file_and_its_checksum_and_never_a_bare_name() -> None:
    line = runtime_wheel.requirement(["broker", "pydantic"])
    need = Requirement(line)
    assert (need.name, need.extras, need.specifier) == ("babelreg-runtime", {"broker", "pydantic"}, "")
    assert need.url == f"file://${{PWD}}/{runtime_wheel.wheel_name()}#sha256={SHA256}"


def test_the_cache_of_another_version_or_a_broken_one_is_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ANSWERS, f"sha256 {runtime_wheel.wheel_name()}", "--index-url https://attacker.example")
    assert runtime_wheel.requirement(["pydantic"]).endswith(f"#sha256={SHA256}")


@pytest.mark.parametrize("damage", [False, True], ids=["the file of the command", "another file of that name"])
def test_pip_installs_that_file_alone(damage: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_package(tmp_path, load.registry(ROOT / "registry.example"), form="package")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        main(["runtime"])
    assert ended.value.code == 0
    if damage:
        path = tmp_path / runtime_wheel.wheel_name()
        path.write_bytes(path.read_bytes().replace(b"raise Reject", b"rqise Reject", 1))
    command = [
        "-m",
        "pip",
        "install",
        "--no-deps",
        "--no-index",
        "--quiet",
        "--target",
        "site",
        "-r",
        "messages/requirements.txt",
    ]
    env = {**os.environ, "PWD": str(tmp_path)}
    done = subprocess.run([sys.executable, *command], env=env, capture_output=True, text=True, check=False)
    assert ("DO NOT MATCH THE HASHES" in done.stderr) == damage
    assert (tmp_path / "site" / PACKAGE / "py.typed").is_file() != damage, done.stderr


def test_no_text_of_generated_code_tells_to_install_a_bare_name(tmp_path: Path) -> None:
    write_package(tmp_path, load.registry(ROOT / "registry.example"), form="package")
    for path in (tmp_path / "messages").rglob("*"):
        if path.is_file():
            text = path.read_text("utf-8")
            assert not re.search(r"pip install '?babelreg|babelreg-runtime(\[[\w,]+\])? *[<>=]", text), path
