"""One grammar for the command line, held for every command of the click tree, and so for a new one too."""

from __future__ import annotations

import inspect
import re
import shlex
import types
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import click
import pytest
from each import each

from babelreg.cli import COMMANDS, GROUPS, _babelreg
from babelreg.cli.shared.output import STYLE_NAMES
from babelreg.cli.shared.wrong_use import usage_error
from babelreg.load.service.starter import example_folder

STYLES = {*STYLE_NAMES, "waivers"}
# Commands whose --out is a folder of their own that nothing else may lie in.
WITHOUT_DRY_RUN = {"demo"}
REPORTING = ("--format", "--output", "--color", "--fail-on")
FINDS_REGISTRY = {"root_of", "open_registry", "reading_root"}


def walk(command: click.Command, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from walk(below, (*path, name))


TREE = dict(walk(_babelreg, ()))
LEAVES = {path: command for path, command in TREE.items() if not isinstance(command, click.Group)}


def named(path: tuple[str, ...]) -> str:
    return " ".join(path) or "babelreg"


def options(command: click.Command) -> dict[str, click.Option]:
    return {name: param for param in command.params if isinstance(param, click.Option) for name in param.opts}


def per_leaf(test):
    return each("path", [pytest.param(path, id=named(path)) for path in LEAVES])(test)


def per_command(test):
    return each("path", [pytest.param(path, id=named(path)) for path in TREE])(test)


def kind(option: click.Option) -> tuple[object, ...]:
    """What tells two meanings of one name apart; a choice may offer fewer values in one command than in another."""
    shape = "choice" if isinstance(option.type, click.Choice) else type(option.type).__name__
    return option.metavar, shape, option.is_flag, option.count, tuple(option.secondary_opts)


ALLOWED = {
    # The same place to write, of which one command makes a folder and the other a file.
    "--out": {"DIR", "FILE"},
    # A report of findings has styles, that of a lake is one page.
    "--output": {"[STYLE:]FILE", "FILE"},
    # `init --service` writes down where the registry is; a URL is as good as a folder there.
    "--registry": {"DIR", "DIR|URL"},
    # What is read to start from: samples of a message, recordings of several, messages of a stream, or dead letters.
    "--from": {"FILE", "PATH", "PLACE", "QUEUE|lake:DIR"},
    # What comes out is of that format, of messages, of tables, of one kind of table or of several; or goes to that queue.
    "--to": {"FORMAT", "FORMATS", "QUEUE", None},
    # The start of what is shown: of a registry a revision, of a lake a batch.
    "--since": {"REV|DIR|FILE", "N"},
    # What is written: changes of the registry, or the one file that is named.
    "--write": {"FILE", None},
}


def test_an_option_means_one_thing_in_all_commands():
    kinds: dict[str, dict[tuple[object, ...], list[str]]] = {}
    for path, command in TREE.items():
        for name, option in options(command).items():
            metavar, *rest = kind(option)
            if metavar in ALLOWED.get(name, ()):
                metavar, rest = "/".join(sorted(map(str, ALLOWED[name]))), []
            kinds.setdefault(name, {}).setdefault((metavar, *rest), []).append(named(path))
    assert {name: found for name, found in kinds.items() if len(found) > 1} == {}


@per_command
def test_the_styles_of_a_report_are_the_only_values_of_format(path):
    option = options(TREE[path]).get("--format")
    assert option is None or set(option.type.choices) <= STYLES


@per_leaf
def test_findings_are_reported_alike(path):
    given = options(LEAVES[path])
    styles = given["--format"].type.choices if "--format" in given else ()
    if {"--fail-on", "--color"} & set(given) or "sarif" in styles:
        assert [name for name in REPORTING if name not in given] == []
        assert list(given["--fail-on"].type.choices) == ["error", "warning", "info", "never"]


@per_leaf
def test_a_command_that_changes_files_shows_the_change(path):
    given = options(LEAVES[path])
    changes = any(name in given and given[name].is_flag for name in ("--fix", "--write")) or path in {
        ("format",),
        ("mint",),
    }
    assert not changes or "--diff" in given


@per_leaf
def test_a_command_that_makes_files_or_moves_data_has_a_dry_run(path):
    given = options(LEAVES[path])
    moves = "--lake" in given and path[-1] not in {"files", "report", "quarantine"}
    makes = "--out" in given or path in {("init",), ("mint",)}
    assert not (moves or makes) or "--dry-run" in given or named(path) in WITHOUT_DRY_RUN


@per_leaf
def test_only_lint_selects_rules_and_drift_ignores_some(path):
    selecting = {"--select", "--ignore"} & set(options(LEAVES[path]))
    assert selecting == {("lint",): {"--select", "--ignore"}, ("drift",): {"--ignore"}}.get(path, set())


@per_leaf
def test_statistics_belong_to_commands_with_many_findings(path):
    assert ("--statistics" in options(LEAVES[path])) == (path in {("lint",), ("validate",), ("wire", "validate")})


@per_leaf
def test_places_have_one_name(path):
    given = options(LEAVES[path])
    assert ("--lake" in given) == (path[0] == "lake" or path == ("spark", "ingest"))
    assert all(isinstance(given[name].type, click.Path) for name in ("--out", "--lake") if name in given)


@per_command
def test_every_command_is_quiet_and_runs_elsewhere(path):
    assert {"-C", "-q", "--quiet"} <= set(options(TREE[path]))


@per_leaf
def test_what_a_command_works_on_is_called_path(path):
    many = [param for param in LEAVES[path].params if isinstance(param, click.Argument) and param.nargs == -1]
    assert all(param.metavar == "[PATH]..." for param in many if param.metavar not in ("", "WORD..."))


def reached(function: object, seen: set[object]) -> Iterator[str]:
    """The names that ``function`` uses, and those that functions and classes of the command line it calls use."""
    if isinstance(function, types.FunctionType):
        function = inspect.unwrap(function)
    if not isinstance(function, type | types.FunctionType) or function in seen:
        return
    if not function.__module__.startswith("babelreg.cli"):
        return
    seen.add(function)
    if isinstance(function, type):
        for member in vars(function).values():
            yield from reached(member, seen)
        return
    codes = [function.__code__]
    while codes:
        code = codes.pop()
        codes += [const for const in code.co_consts if isinstance(const, types.CodeType)]
        modules = [import_module(name) for name in code.co_names if name.startswith("babelreg.cli.")]
        for name in code.co_names:
            yield name
            for space in (function.__globals__, *map(vars, modules)):
                if name in space and not isinstance(space[name], types.ModuleType):
                    yield from reached(space[name], seen)


@per_leaf
def test_a_command_that_reads_a_registry_has_the_option(path):
    callback = LEAVES[path].callback
    assert isinstance(callback, types.FunctionType)
    reads = FINDS_REGISTRY & set(reached(callback, set()))
    assert not reads or "--registry" in options(LEAVES[path])


def test_reading_a_registry_is_noticed():
    reading = {
        named(path) for path, command in LEAVES.items() if FINDS_REGISTRY & set(reached(command.callback, set()))
    }
    assert {"lint", "validate", "mint", "lake ingest", "spark pack", "rules", "scan", "gen docs"} <= reading
    assert "compare" not in reading


def examples(command: click.Command) -> list[str]:
    return [line.strip() for line in (command.epilog or "").splitlines() if "babelreg " in line]


@per_command
def test_every_help_has_two_examples(path):
    lines = examples(TREE[path])
    assert len(lines) >= 2
    assert all(" ".join(("babelreg", *path)) in line for line in lines)


def commands_in(line: str) -> Iterator[list[str]]:
    for part in re.split(r"&&|\|", line):
        words = shlex.split(part, comments=True)
        if words[0] == "babelreg":
            yield words[1:]


@pytest.mark.parametrize(
    "line", [pytest.param(line, id=line) for command in TREE.values() for line in examples(command)]
)
def test_every_example_can_be_typed(line, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for words in commands_in(line):
        command: click.Command = _babelreg
        context = click.Context(_babelreg, info_name="babelreg")
        while isinstance(command, click.Group):
            found = command.get_command(context, words[0])
            assert found is not None, line
            command, words = found, words[1:]
        command.make_context(command.name, list(words), parent=context).close()


def test_commands_are_listed_in_groups(run):
    code, out, _ = run("--help")
    assert code == 0
    places = [out.index(f"\n{title}:\n") for title in GROUPS]
    assert places == sorted(places)
    assert all(f"\n  {name} " in out for name in COMMANDS)


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(["init", "new", "--owner", "\udcff"], id="the owner of a new registry"),
        pytest.param(["new", "orders:shipped", "--owner", "team\udce9"], id="the owner of a message"),
        pytest.param(["new", "orders:shipped", "--producer", "\udcff"], id="a producer"),
        pytest.param(["import", "jsonschema", ".", "--owner", "\udcff"], id="the owner of imported messages"),
    ],
)
def test_bytes_of_another_encoding_are_not_written(words, run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, _, err = run(*words)
    assert code == 2
    assert "is not UTF-8\n  fix: type it in a terminal whose encoding is UTF-8" in err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "words, message, fix",
    [
        pytest.param(["lake", "ingest", "--input", "in", "--output", "out"], "needs --lake DIR", "did you mean --lake out?", id="the lake as an output"),
        pytest.param(["lake", "files", "--output", "out"], "has no option --output", "did you mean --lake?", id="the lake of files as an output"),
        pytest.param(["lake", "files", "--lake", "l", "--format", "duckdb"], "has no option --format", "did you mean --as?", id="a syntax as a style"),
        pytest.param(["lake", "report", "--lake", "l", "--html", "x"], "has no option --html", "did you mean --output?", id="a page by its type"),
        pytest.param(["lake", "redrive", "--lake", "l", "--report", "x"], "has no option --report", "did you mean --output?", id="a report by its name"),
        pytest.param(["demo", "--output", "x"], "has no option --output", "did you mean --out?", id="a place as a report"),
        pytest.param(["compare", "a", "b", "--formats", "asserted"], "has no option --formats", "did you mean --assert-formats?", id="the keyword format"),
        pytest.param(["lint", "--format", "md"], "--format: there is no 'md'", "did you mean markdown?", id="a style by its ending"),
        pytest.param(["lint", "--format", "xyz"], "--format: there is no 'xyz'", "one of text, json", id="a style that is like none"),
        pytest.param(["lint", "--fail-on", "warn"], "--fail-on: there is no 'warn'", "did you mean warning?", id="a severity in short"),
        pytest.param(["lint", "--fail-onn", "error"], "`babelreg lint` has no option --fail-onn", "did you mean --fail-on?", id="a misspelt option"),
        pytest.param(["lint", "--zzzz"], "`babelreg lint` has no option --zzzz", "`babelreg lint --help` shows", id="an option like none"),
        pytest.param(["init", "--diff"], "has no option --diff", "did you mean --dry-run?", id="a diff of files that are made"),
        pytest.param(["format", "--dry-run"], "has no option --dry-run", "did you mean --diff?", id="a dry run of files that change"),
        pytest.param(["lnt"], "there is no command 'lnt'", "did you mean `babelreg lint`?", id="a misspelt command"),
        pytest.param(["spark", "ingets"], "there is no command 'ingets'", "did you mean `babelreg spark ingest`?", id="a misspelt command below"),
        pytest.param(["explain"], "`babelreg explain` needs", "such as `babelreg explain urn-syntax`", id="a missing word"),
        pytest.param(["mint", "a", "b"], "got unexpected extra argument (b)", "`babelreg mint --help` shows", id="a word too many"),
        pytest.param(["gen", "pyton"], "error: there is no target 'pyton'", "did you mean", id="a misspelt target"),
        pytest.param(["gen", "java"], "error: there is no target 'java'", "`babelreg gen jsonschema` writes schemas for the generators of other languages", id="a language without a target"),
        pytest.param(["gen", "C#"], "error: there is no target 'C#'", "`babelreg gen jsonschema`", id="another language"),
        pytest.param(["gen", "json-schema"], "error: there is no target 'json-schema'", "did you mean `babelreg gen jsonschema`?", id="a target in other letters"),
        pytest.param(["import", "bqschema", "."], "error: file '.' is a directory", "`babelreg import bqschema --help` shows", id="a folder for a file"),
        pytest.param(["import", "."], "the format comes before .", "did you mean `babelreg import jsonschema .`?", id="an import without its format"),
        pytest.param(["import", "shema"], "there is no command 'shema'", "did you mean", id="a misspelt format"),
        pytest.param(["gen", "catalog", "--serve", "--check"], "--serve shows the catalog and checks nothing", "remove --check", id="a check of what is served"),
        pytest.param(["lint", "-C", "nowhere"], "-C: cannot enter nowhere", "--help", id="a folder that is not there"),
    ],
)  # fmt: skip
def test_wrong_use_has_the_style_of_every_error(words, message, fix, run):
    code, out, err = run(*words)
    first, *rest = err.splitlines()
    assert (code, out) == (2, "")
    assert first.startswith("babelreg: error: ")
    assert message in first
    assert rest[0].startswith("  fix: ")
    assert fix in rest[0]


def test_an_error_of_click_without_a_context_has_the_same_style():
    error = usage_error(click.UsageError("Something is wrong."))
    assert (error.message, error.fix) == ("something is wrong", "`babelreg --help` shows its usage")


@pytest.mark.parametrize("place", ["before", "after"])
def test_quiet_prints_results_alone(place, run, tmp_path):
    words = ["lint", "--registry", example_folder(), "--no-cache", "--profile", "strict"]
    _, loud, notes = run(*words)
    assert "messages checked" in notes
    assert run(*(["-q", *words] if place == "before" else [*words, "-q"])) == (0, loud, "")


def test_quiet_hides_no_error(run):
    code, _, err = run("lint", "-q", "--registry", "nowhere")
    assert code == 2
    assert err.startswith("babelreg: error: ")


@pytest.mark.parametrize("place", ["before", "after"])
def test_a_command_runs_in_another_folder(place, run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = ["-C", example_folder()]
    asked = ["lint", "orders", "--profile", "strict"]
    code, out, _ = run(*words, *asked) if place == "before" else run(*asked, *words)
    assert code == 0
    assert out.startswith("orders/")
    assert Path.cwd() == tmp_path
