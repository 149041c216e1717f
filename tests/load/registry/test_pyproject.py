"""Lint settings in a pyproject.toml: which file counts, what is wrong with it, and where that stands."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from steps import steps

from babelreg import load
from babelreg.load.files.toml_positions import TomlPositions
from babelreg.load.files.tree import Memory
from babelreg.model import Registry


def opened(text: str, lint: str = "") -> Registry:
    files = {"babelreg.yaml": f"version: 1\n{lint}", "pyproject.toml": text}
    return load.from_tree(Memory({path: body.encode() for path, body in files.items()}))


@pytest.mark.parametrize(
    "text, said",
    [
        pytest.param('[tool.babelreg.lint]\nprofile = "strict"\n', {"profile": "strict"}, id="a table"),
        pytest.param('[tool.babelreg]\nlint = {profile = "strict"}\n', {"profile": "strict"}, id="between braces"),
        pytest.param('[tool]\nbabelreg.lint.profile = "strict"\n', {"profile": "strict"}, id="dotted below tool"),
        pytest.param('tool.babelreg.lint.profile = "strict"\n', {"profile": "strict"}, id="dotted all the way"),
        pytest.param('["tool" . \'babelreg\' . lint]\nprofile = "strict"\n', {"profile": "strict"}, id="quoted"),
        pytest.param('tool = {babelreg = {lint = {profile = "strict"}}}\n', {"profile": "strict"}, id="all in braces"),
        pytest.param(
            '[[tool.babelreg.lint.waivers]]\nrule = "r"\nurn = "u"\nreason = "x"\nexpires = 2027-03-31\n',
            {"waivers": [{"rule": "r", "urn": "u", "reason": "x", "expires": "2027-03-31"}]},
            id="a day",
        ),
        pytest.param('[tool.other]\nprofile = "strict"\n', {}, id="another tool"),
        pytest.param('[project]\nname = "babelreg"\n[tool]\n', {}, id="only the name"),
        pytest.param('x = """\n[tool.babelreg.lint]\n"""\n', {}, id="inside of a text"),
        pytest.param("[tool]\nbabelreg = 3\n", {}, id="no table"),
        pytest.param("", {}, id="nothing"),
    ],
)
def test_what_it_says(text: str, said: dict[str, object]) -> None:
    registry = opened(text)
    assert (registry.defects, registry.settings.lint) == ((), said)


@pytest.mark.parametrize(
    "text, found",
    [
        pytest.param(
            "[tool.babelreg.lint]\nprofile = strict\n",
            ("toml-syntax", "2:11", "correct it, or move the lint settings into babelreg.yaml"),
            id="no TOML",
        ),
        pytest.param(
            '[tool.babelreg.lint]\n<<<<<<< HEAD\nprofile = "strict"\n=======\nprofile = "minimal"\n>>>>>>> theirs\n',
            (
                "toml-syntax",
                "2:1",
                "keep the correct parts of both sides, and remove the lines <<<<<<<, ======= and >>>>>>>",
            ),
            id="a merge conflict",
        ),
        pytest.param(
            '[tool.babelreg.lint]\nprofile = "strickt"\n',
            ("value-invalid", "2:11", "did you mean 'strict'?"),
            id="profile",
        ),
        pytest.param(
            "[project]\n# [tool.babelreg.lint]\n[tool.babelreg]\nlint.profil = 1\n",
            ("key-unknown", "4:6", "did you mean 'profile'?"),
            id="a dotted key",
        ),
        pytest.param("[tool.babelreg]\nlint = 3\n", ("value-invalid", "2:8", None), id="no table"),
        pytest.param(
            '[tool.babelreg]\nlint = {rules = {"urn-syntax" = "warn"}}\n',
            ("value-invalid", "2:33", "did you mean 'warning'?"),
            id="between braces",
        ),
        pytest.param(
            '[[tool.babelreg.lint.paths]]\npath = "a/"\nprofile = "strict"\n\n[[tool.babelreg.lint.paths]]\nprofile = "strict"\n',
            ("key-missing", "5:1", "add 'path: PATTERN', such as orders/ or *.v1.yaml"),
            id="the second of two",
        ),
        pytest.param(
            '[[tool.babelreg.lint.paths]]\npath = "a/"\n[tool.babelreg.lint.paths.rules]\nurn-syntax = "of"\n',
            ("value-invalid", "4:14", "did you mean 'off'?"),
            id="a table within the last of a list",
        ),
        pytest.param(
            "[tool.babelreg.lint]\n[tool.babelreg.gen]\npython = {}\n",
            ("key-unknown", "2:16", "move it into babelreg.yaml"),
            id="settings that do not stand here",
        ),
        pytest.param(
            f"[tool.babelreg.lint]\nx = {'[' * 2000}{']' * 2000}\n",
            ("toml-syntax", "1:1", "correct it, or move the lint settings into babelreg.yaml"),
            id="too deep",
        ),
        pytest.param(
            f"[tool.babelreg.lint]\nx = {'[' * 300}{']' * 300}\n",
            ("toml-syntax", "1:1", "correct it, or move the lint settings into babelreg.yaml"),
            id="too deep for what comes next",
        ),
        pytest.param(
            f"[tool.babelreg.lint]\n{'a.' * 50_000}a = 1\n",
            ("toml-syntax", "1:1", "correct it, or move the lint settings into babelreg.yaml"),
            id="a key of many parts",
        ),
    ],
)
def test_a_mistake_has_a_place_and_a_way_out(text: str, found: tuple[str, str, str | None]) -> None:
    (defect,) = opened(text).defects
    assert (defect.rule, str(defect.place).removeprefix("pyproject.toml:"), defect.fix) == found


def test_a_key_of_many_parts_is_not_read() -> None:
    """tomllib takes time by the square of the parts."""
    text = f"[tool.babelreg.lint]\n{'a.' * 2_000}a = 1\n"
    opened(text)  # imports and compiled patterns are not counted
    assert steps(lambda: opened(text), most=20_000) > 0


def test_settings_of_the_registry_itself_win() -> None:
    registry = opened('[tool.babelreg.lint]\nprofile = "strict"\n', "lint: {profile: minimal}\n")
    assert registry.settings.lint == {"profile": "minimal"}
    assert registry.settings.lint_ignored is not None


STRICT, MINIMAL = ('[tool.babelreg.lint]\nprofile = "strict"\n', '[tool.babelreg.lint]\nprofile = "minimal"\n')


@pytest.mark.parametrize(
    "files, profile, source",
    [
        pytest.param({".git/HEAD": "", "pyproject.toml": STRICT}, "strict", "../../pyproject.toml", id="at the top"),
        pytest.param(
            {".git/HEAD": "", "pyproject.toml": STRICT, "a/registry/pyproject.toml": MINIMAL},
            "minimal",
            "pyproject.toml",
            id="the nearest",
        ),
        pytest.param(
            {".git": "gitdir: x", "pyproject.toml": STRICT, "a/pyproject.toml": "[project]\n"},
            "strict",
            "../../pyproject.toml",
            id="the nearest that says something",
        ),
        pytest.param({"pyproject.toml": STRICT}, None, "babelreg.yaml", id="not without a repository"),
        pytest.param(
            {"a/.git/HEAD": "", "pyproject.toml": STRICT}, None, "babelreg.yaml", id="not above the repository"
        ),
        pytest.param(
            {"a/registry/.git/HEAD": "", "a/registry/pyproject.toml": STRICT},
            "strict",
            "pyproject.toml",
            id="a registry that is the repository",
        ),
    ],
)
def test_which_file_counts(files: dict[str, str], profile: str | None, source: str, tmp_path: Path) -> None:
    for path, text in {**files, "a/registry/babelreg.yaml": "version: 1\n"}.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, "utf-8")
    found = load.registry(tmp_path / "a" / "registry").settings
    assert found.lint_source is not None
    assert (found.lint.get("profile"), found.lint_source.path) == (profile, source)


def test_a_link_out_of_the_repository_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "outside.toml").write_text(STRICT, "utf-8")
    registry = tmp_path / "top" / "registry"
    (tmp_path / "top" / ".git").mkdir(parents=True)
    registry.mkdir()
    (registry / "babelreg.yaml").write_text("version: 1\n", "utf-8")
    (tmp_path / "top" / "pyproject.toml").symlink_to(tmp_path / "outside.toml")
    found = load.registry(registry)
    assert (found.defects, found.settings.lint) == ((), {})


def test_nothing_else_above_the_registry_is_read(tmp_path: Path) -> None:
    registry = tmp_path / "registry"
    (registry / "orders").mkdir(parents=True)
    (tmp_path / ".git").mkdir()
    (tmp_path / "pyproject.toml").write_text("type: object\n", "utf-8")
    (registry / "babelreg.yaml").write_text("version: 1\n", "utf-8")
    text = "urn: urn:babel:orders:created\nkind: event\ndata: {$ref: ../../pyproject.toml}\nexamples: {file: ../../pyproject.toml}\n"
    (registry / "orders" / "created.yaml").write_text(text, "utf-8")
    assert [d.rule for d in load.registry(registry).defects] == ["ref-outside-registry", "ref-outside-registry"]


keys = st.sampled_from(["a", "b-1", '"c"', "'d.e'", '"f \\" g"', "2027"])
dotted = st.lists(keys, min_size=1, max_size=3).map(" . ".join)
scalars = st.sampled_from(
    [
        "1",
        "true",
        "2027-03-31 07:00:00",
        '"x # y = [z]"',
        "'}'",
        '"""a\n"" \\""" b"""',
        "'''[c]\n'''",
        '"\\\\"',
        '""',
        '""""q"""""',
    ]
)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3).map(lambda items: "[ # ,]\n" + ",\n".join(items) + "\n]")
        | st.dictionaries(keys, inner, max_size=3).map(
            lambda d: "{" + ", ".join(f"{k}={v}" for k, v in d.items()) + "}"
        )
    ),
    max_leaves=6,
)
lines = st.one_of(
    dotted.map("[{}]".format),
    dotted.map("[[{}]] # note".format),
    st.tuples(dotted, values).map(lambda pair: f"{pair[0]} = {pair[1]}"),
    st.just("# [comment"),
    st.just(""),
)


@settings(max_examples=150, deadline=None)
@given(text=st.lists(lines, max_size=8).map("\n".join), end=st.sampled_from(["", "\n", "\r\n"]))
def test_every_key_and_value_has_its_place(text: str, end: str) -> None:
    text += end
    try:
        said = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    places = TomlPositions(text)
    assert set(leaves(said)) <= set(places.values)
    for pointer, value in leaves(said).items():
        at = places.values[pointer]
        if isinstance(value, str):
            assert text[at] in "\"'"
        elif isinstance(value, bool | int):
            assert text[at:].startswith(str(value).lower())
        if isinstance(pointer[-1], str):
            spelled = text[places.keys[pointer] :]
            assert spelled.startswith((pointer[-1], f'"{pointer[-1]}', f"'{pointer[-1]}", '"f \\" g"'))


def leaves(value: object, at: tuple[str | int, ...] = ()) -> dict[tuple[str | int, ...], object]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else None
    if inner is None:
        return {at: value}
    return {pointer: leaf for key, below in inner for pointer, leaf in leaves(below, (*at, key)).items()}


@settings(max_examples=100, deadline=None)
@given(
    text=st.lists(lines | st.text(max_size=12), max_size=8).map("\n".join),
    before=st.booleans(),
    tail=st.binary(max_size=3),
)
def test_no_file_upsets_anything(text: str, before: bool, tail: bytes) -> None:
    head = "[tool.babelreg.lint]\n" if before else "tool.babelreg.lint.paths = [\n"
    body = (head + text).encode("utf-8", "replace") + tail
    registry = load.from_tree(Memory({"babelreg.yaml": b"version: 1\n", "pyproject.toml": body}))
    assert all(defect.message and defect.place.line for defect in registry.defects)


WAIVER = '[[tool.babelreg.breaking.waivers]]\nrule = "r"\nurn = "u"\nchange = "3f9c0a17be42"\nreason = "x"\n'
OWN = 'breaking: {waivers: [{rule: o, urn: u, change: "000000000000", reason: x}]}\n'


@pytest.mark.parametrize(
    "text, own, waived",
    [
        pytest.param(WAIVER, "", [("pyproject.toml", "r")], id="said there"),
        pytest.param("", OWN, [("babelreg.yaml", "o")], id="said in the registry"),
        pytest.param(WAIVER, OWN, [("babelreg.yaml", "o"), ("pyproject.toml", "r")], id="said in both"),
        pytest.param(WAIVER + MINIMAL, "lint: {}\n", [("pyproject.toml", "r")], id="beside lint settings that lose"),
        pytest.param(MINIMAL, "", [], id="only lint settings"),
    ],
)
def test_what_breaking_says_in_either_file_adds_up(text: str, own: str, waived: list[tuple[str, str]]) -> None:
    registry = opened(text, own)
    said = [(source.path, one["rule"]) for source, part in registry.settings.breaking for one in part["waivers"]]
    assert (registry.defects, said) == ((), waived)


def test_settings_of_breaking_alone_say_nothing_of_lint() -> None:
    found = opened(WAIVER, "lint: {profile: minimal}\n").settings
    assert (found.lint, found.lint_ignored) == ({"profile": "minimal"}, None)


@pytest.mark.parametrize(
    "text, found",
    [
        pytest.param(WAIVER.replace("change", "chnage"), ("key-unknown", "4:1"), id="a misspelt key"),
        pytest.param(WAIVER.replace("3f9c", "3F9C"), ("value-invalid", "4:10"), id="no hash"),
        pytest.param(WAIVER + 'expires = "soon"\n', ("value-invalid", "6:11"), id="no day"),
    ],
)
def test_a_mistake_in_a_waiver_of_breaking_has_a_place(text: str, found: tuple[str, str]) -> None:
    defects = opened(text).defects
    assert found in [(defect.rule, str(defect.place).removeprefix("pyproject.toml:")) for defect in defects]
