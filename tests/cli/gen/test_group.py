from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from babelreg.cli import main
from babelreg.gen.targets import TARGETS

EXAMPLE = Path(__file__).resolve().parents[3] / "registry.example"


def run(capsys: pytest.CaptureFixture[str], *args: object) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main([str(arg) for arg in args])
    captured = capsys.readouterr()
    return int(ended.value.code or 0), captured.out, captured.err


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(EXAMPLE, tmp_path / "registry")
    monkeypatch.chdir(tmp_path)
    return Path("registry")


def test_a_first_run_writes_and_a_second_changes_nothing(registry: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "gen", "python", "--registry", registry, "--out", "code")
    assert (code, out) == (0, "")
    written = int(err.split(": ")[1].split()[0])
    assert written == len([path for path in Path("code").rglob("*") if path.is_file()]) - 1
    code, out, err = run(capsys, "gen", "python", "--registry", registry, "--out", "code")
    assert (code, out, err) == (0, "", f"code: 0 written, {written} unchanged, 0 removed\n")


def test_without_out_it_writes_below_generated(registry: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "gen", "python", "--registry", registry)
    assert Path("generated/python/messages/orders_created.py").is_file()


def test_check_lists_what_is_behind_and_how_to_mend_it(registry: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "gen", "python", "--registry", registry, "--out", "code")
    assert run(capsys, "gen", "python", "--registry", registry, "--out", "code", "--check")[0] == 0
    message = registry / "orders/cancelled.yaml"
    message.write_text(message.read_text().replace("Order number.", "The order's number."))
    code, out, err = run(capsys, "gen", "python", "--registry", registry, "--out", "code", "--check")
    assert code == 1
    assert err == "code: 2 outdated files\n"
    places = [line.split(": ")[0] for line in out.splitlines() if "[generated-file-stale]" in line]
    assert places == ["code/messages/_schemas/orders_cancelled.py", "code/messages/orders_cancelled.py"]
    assert "fix: run `babelreg gen python --out code --registry registry`" in out


def test_check_writes_nothing(registry: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "gen", "python", "--registry", registry, "--out", "code", "--check", "--format", "json")
    assert code == 1
    found = json.loads(out)
    rules = {finding["rule"] for finding in (found["findings"] if isinstance(found, dict) else found)}
    assert rules == {"generated-file-missing"}
    assert not Path("code").exists()


def test_a_message_that_went_takes_its_files_with_it(registry: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "gen", "python", "--registry", registry, "--out", "code")
    (registry / "media/thumbnail.generated.yaml").unlink()
    err = run(capsys, "gen", "python", "--registry", registry, "--out", "code")[2]
    assert err.endswith("2 removed\n")
    assert not Path("code/messages/media_thumbnail_generated.py").exists()


@pytest.mark.parametrize(
    "args, said",
    [
        pytest.param(["pyton"], "did you mean `babelreg gen python`?", id="a misspelt target"),
        pytest.param(["perl"], "python, typescript, go, php, spark, docs", id="an unknown target"),
        pytest.param(["ts"], "did you mean `babelreg gen typescript`?", id="a short name of a language"),
        pytest.param(["golang"], "did you mean `babelreg gen go`?", id="a long name of a language"),
        pytest.param(["go", "--package", "func"], "not a keyword", id="a keyword of Go"),
        pytest.param(["php", "--namespace", "Acme\\List"], "--namespace 'Acme\\Messages'", id="a keyword of PHP"),
        pytest.param(["python", "--package", "My Package"], "--package messages", id="a package name with a blank"),
        pytest.param(["python", "--package", "os"], "the standard library has a module 'os'", id="a standard module"),
        pytest.param(["python", "--package", "json"], "--package messages", id="another standard module"),
        pytest.param(["spark", "--package", "json"], "--package spark_schemas", id="a standard module for Spark"),
        pytest.param(["python", "--package", "class"], "not a keyword", id="a keyword"),
        pytest.param(["python", "--package", "pydantic"], "imports 'pydantic'", id="a package that the code imports"),
        pytest.param(["spark", "--package", "pyspark"], "imports 'pyspark'", id="the package that schemas import"),
        pytest.param(["docs", "--package", "x"], "has no option --package", id="an option of another target"),
        pytest.param(["python", "--models", "attrs"], "pydantic, typeddict", id="unknown models"),
        pytest.param(["python", "--models", "msgspec"], "choose pydantic or typeddict", id="models of earlier versions"),
        pytest.param(["spark", "--models", "pydantic"], "has no option --models", id="models for another target"),
        pytest.param(["python", "--models", "typeddict", "--formats", "typed"], "choose formats: text",
                     id="dates in what holds JSON alone"),
        pytest.param([], "needs TARGET", id="no target"),
        pytest.param(["--out", "docs"], "needs TARGET", id="a target that is the value of an option"),
        pytest.param(["--check", "pyton"], "did you mean `babelreg gen python`?", id="an option before a misspelt target"),
    ],
)  # fmt: skip
def test_wrong_use_ends_in_2_and_says_a_way_out(
    registry: Path, capsys: pytest.CaptureFixture[str], args: list[str], said: str
) -> None:
    code, out, err = run(capsys, "gen", *args, "--registry", registry)
    assert (code, out) == (2, "")
    assert said in err
    assert "Traceback" not in err


@pytest.mark.parametrize(
    "settings, said",
    [
        pytest.param("models: pydantik", ":4:13: error: 'gen.python.models' is 'pydantik'", id="misspelt models"),
        pytest.param("models: msgspec", ":4:13: error: 'gen.python.models' is 'msgspec', which is no longer supported: its structs dropped properties",
                     id="models of earlier versions"),
        pytest.param("formats: rich", ":4:14: error: 'gen.python.formats' is 'rich'", id="unknown formats"),
        pytest.param("modells: pydantic", ":4:5: error: gen.python has no setting 'modells'", id="a misspelt setting"),
        pytest.param("formats: typed\n    models: typeddict", ":4:14: error: typed dictionaries contain JSON values",
                     id="dates in what holds JSON alone"),
    ],
)  # fmt: skip
def test_a_wrong_setting_is_refused_with_its_place(
    registry: Path, capsys: pytest.CaptureFixture[str], settings: str, said: str
) -> None:
    (registry / "babelreg.yaml").write_text(f"version: 1\ngen:\n  python:\n    {settings}\n")
    code, _, err = run(capsys, "gen", "python", "--registry", registry)
    assert code == 2
    assert f"babelreg.yaml{said}" in err
    assert "fix: " in err


def test_models_are_chosen_by_setting_and_by_option(registry: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (registry / "babelreg.yaml").write_text("version: 1\ngen:\n  python:\n    models: typeddict\n")
    module = Path("code/messages/orders_created.py")
    run(capsys, "gen", "python", "--registry", registry, "--out", "code")
    assert "class OrdersCreated(TypedDict):" in module.read_text()
    run(capsys, "gen", "python", "--registry", registry, "--out", "code", "--models", "pydantic")
    assert "class OrdersCreated(Model, frozen=True):" in module.read_text()
    _, out, _ = run(
        capsys, "gen", "python", "--registry", registry, "--out", "code", "--models", "typeddict", "--check"
    )
    assert "fix: run `babelreg gen python --out code --models typeddict --registry registry`" in out


@pytest.mark.parametrize("before", [["--check"], ["--out", "docs", "--check"], ["--check", "--out=docs"]])
def test_options_may_come_before_the_target(
    registry: Path, capsys: pytest.CaptureFixture[str], before: list[str]
) -> None:
    arguments = ["docs", "--registry", registry]
    assert run(capsys, "gen", *before, *arguments) == run(capsys, "gen", "docs", *before, *arguments[1:])


def test_a_defective_registry_is_refused_with_its_places(registry: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (registry / "orders/cancelled.yaml").write_text("urn: [\n")
    code, _, err = run(capsys, "gen", "python", "--registry", registry, "--out", "code")
    assert code == 2
    assert "registry/orders/cancelled.yaml:" in err
    assert not Path("code").exists()


def test_a_users_own_file_in_the_way_is_kept(registry: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mine = Path("code/messages/__init__.py")
    mine.parent.mkdir(parents=True)
    mine.write_text("mine = 1\n")
    code, _, err = run(capsys, "gen", "python", "--registry", registry, "--out", "code")
    assert code == 2
    assert "was not written by babelreg" in err
    assert "--out" in err
    assert mine.read_text() == "mine = 1\n"


def test_help_lists_the_targets(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "gen", "--help")
    assert code == 0
    assert all(name in out for name in ("python", "spark", "docs"))


def test_messages_that_are_left_out_are_counted(registry: Path, capsys: pytest.CaptureFixture[str]) -> None:
    message = registry / "orders/cancelled.yaml"
    message.write_text(message.read_text().replace("  properties:\n", "  properties:\n    ${x}: {type: string}\n", 1))
    for more, state in (((), "removed"), (("--check",), "up to date")):
        code, out, err = run(capsys, "gen", "spark", "--registry", registry, "--out", "tables", *more)
        assert (code, "[property-name-variable]" in out) == (1, True)
        assert err.endswith(f"{state}; 1 message left out\n")


@pytest.mark.parametrize("target", TARGETS)
def test_the_help_of_a_target_lists_its_own_options_alone(capsys: pytest.CaptureFixture[str], target: str) -> None:
    _, out, _ = run(capsys, "gen", target, "--help")
    own = {option.flag for option in TARGETS[target].options if option.command_line}
    others = {option.flag for other in TARGETS.values() for option in other.options if option.command_line} - own
    if TARGETS[target].hooks.serve is None:
        others |= {"--serve", "--port"}
    listed = {word for line in out.splitlines() for word in line.split()[:1] if word.startswith("--")}
    assert own <= listed
    assert not others & listed
