"""Reading only what differs finds what reading everything finds; what is kept between runs changes nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from examples import fewer
from hypothesis import given, settings
from hypothesis import strategies as st

from babelreg import load
from babelreg.breaking.baseline.blob_trees import HashedTree
from babelreg.breaking.baseline.changed_subset import changed_subset
from babelreg.breaking.baseline.registry_cache import RegistryCache, cache_for
from babelreg.breaking.check.run import check
from babelreg.cache import fingerprint
from babelreg.cache.folder import cache_folder
from babelreg.load.files.tree import Memory
from babelreg.load.yaml import parser
from babelreg.model import Message, Registry

SETTINGS = {"babelreg.yaml": "version: 1\n"}
CONTEXT = {"orders/_context.yaml": "owner: o\n"}
MONEY = "type: object\nproperties: {minor: {type: integer}}\n"


def message(name: str, data: str = "{type: object, properties: {a: {type: integer}}}", **more: str) -> str:
    lines = "".join(f"{key}: {value}\n" for key, value in more.items())
    return f"urn: urn:babel:orders:{name}\nkind: event\nproducers: [orders-api]\n{lines}data: {data}\n"


def tree(files: Mapping[str, str]) -> HashedTree:
    return HashedTree(Memory({path: text.encode() for path, text in files.items()}))


def states_of(files: Mapping[str, str], old: Registry, new: Registry) -> list[tuple[str, str]]:
    """What the two complete registries say about each message; ``files`` are those of the old one."""
    read = {message.source.path for message in old.messages}

    def state(message: Message) -> str:
        published = old.by_urn.get(message.urn)
        if published is None:
            if message.source.path in files and message.source.path not in read:
                return "unreadable"
            return "drafts" if message.status == "draft" else "new"
        if published.status == "draft":
            return "drafts"
        return "unreadable" if published.data is not None and published.schema is None else "compared"

    return [(message.source.path, state(message)) for message in new.messages]


def same_as_whole(old: Mapping[str, str], new: Mapping[str, str], kept: RegistryCache) -> list[str]:
    """The messages that were read of the new registry, once the findings were seen to be those of the whole."""
    parts = changed_subset(tree(old), tree(new), "", kept)
    whole = load.from_tree(tree(old)), load.from_tree(tree(new))
    assert parts.new.defects == whole[1].defects
    if not whole[1].defects:
        assert [(state.path, state.state) for state in parts.messages] == states_of(old, *whole)
        assert [f.as_json() for f in check(parts.old, parts.new)] == [f.as_json() for f in check(*whole)]
    return [message.source.path for message in parts.new.messages]


def test_each_file_of_a_tree_is_parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []
    read = parser.read
    monkeypatch.setattr(parser, "read", lambda text: parsed.append(text) or read(text))
    changed = {**BASE, "orders/d.yaml": message("d", "{type: object}")}
    changed_subset(tree(BASE), tree(changed), "", RegistryCache())
    assert parsed.count(changed["orders/d.yaml"]) == 1
    assert parsed.count(BASE["orders/d.yaml"]) == 1


REF = "{type: object, properties: {total: {$ref: ../_common/money.yaml}}}"
BASE = {
    **SETTINGS,
    **CONTEXT,
    "_common/money.yaml": MONEY,
    "_common/rest.yaml": "type: string\n",
    "orders/a.yaml": message("a"),
    "orders/b.yaml": message("b", REF),
    "orders/c.yaml": message("c", supersedes="urn:babel:orders:a"),
    "orders/d.yaml": message("d"),
}


@pytest.mark.parametrize(
    "changes, read",
    [
        pytest.param({}, [], id="nothing"),
        pytest.param({"orders/d.yaml": message("d", "{type: object}")}, ["d"], id="a message"),
        pytest.param({"orders/a.yaml": message("a", "{type: object}")}, ["a", "c"], id="one that another supersedes"),
        pytest.param({"_common/money.yaml": "type: object\n"}, ["b"], id="a fragment: the messages that lead to it"),
        pytest.param({"_common/rest.yaml": "type: integer\n"}, [], id="a fragment that nobody leads to"),
        pytest.param({"orders/d.yaml": None}, [], id="a message is gone"),
        pytest.param({"orders/d.yaml": None, "orders/e.yaml": message("d")}, ["e"], id="a message was moved"),
        pytest.param(
            {"orders/d.yaml": None, "orders/c.yaml": message("d")}, ["a", "c"], id="a URN moved to another file"
        ),
        pytest.param({"orders/e.yaml": message("d", "true")}, ["d", "e"], id="a URN is declared twice"),
        pytest.param({"orders/e.yaml": message("e")}, ["e"], id="a message is new"),
        pytest.param({"_services/orders-api.yaml": "owner: x\nlang: php\n"}, [], id="a service"),
    ],
)
def test_what_is_read(changes: dict[str, str | None], read: list[str]) -> None:
    kept = RegistryCache()
    same_as_whole(BASE, BASE, kept)
    new = {path: text for path, text in {**BASE, **changes}.items() if text is not None}
    assert same_as_whole(BASE, new, kept) == [f"orders/{name}.yaml" for name in read]


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"orders/d.yaml": "urn: [\n"}, id="a message that is no YAML"),
        pytest.param({"_common/money.yaml": None}, id="a fragment is gone that an unchanged message needs"),
        pytest.param({"_common/money.yaml": "$ref: money.yaml\n"}, id="a fragment leads to itself"),
        pytest.param({"_common/money.yaml": "type: object\n$id: x\n"}, id="a fragment that cannot be bundled"),
        pytest.param({"_common/rest.yaml": "a: [\n"}, id="a fragment that nobody leads to is no YAML"),
        pytest.param({"orders/con.yaml": message("con")}, id="a name that some system forbids"),
        pytest.param({"orders/x.yml": message("x")}, id="another suffix"),
        pytest.param({"orders/d.yaml": message("d", examples="{file: none.jsonl}")}, id="examples that are not there"),
        pytest.param({"orders/_context.yaml": "owner: [\n"}, id="a context that is no YAML"),
        pytest.param({"babelreg.yaml": "version: 2\n"}, id="settings that are wrong"),
    ],
)
def test_defects_are_those_of_the_whole(changes: dict[str, str | None]) -> None:
    kept = RegistryCache()
    same_as_whole(BASE, BASE, kept)
    new = {path: text for path, text in {**BASE, **changes}.items() if text is not None}
    for old in (BASE, new):  # also where the defect was published
        assert changed_subset(tree(old), tree(new), "", kept).new.defects
        same_as_whole(old, new, kept)
    same_as_whole(new, BASE, kept)


TEXTS = st.sampled_from(
    [
        None,
        message("a"),
        message("b"),
        message("a", REF),
        message("b", "{type: object, properties: {a: {type: string}}}"),
        message("a", status="draft"),
        message("c", supersedes="urn:babel:orders:a"),
        "urn: urn:babel:orders:a\nstatus: retired\nretired_on: 2020-01-01\n",
        "nothing: here\n",
    ]
)
REGISTRIES = st.fixed_dictionaries(
    {
        "babelreg.yaml": st.just("version: 1\n"),
        "orders/_context.yaml": st.sampled_from([None, "owner: o\n"]),
        "_common/money.yaml": st.sampled_from([None, MONEY, "type: string\n"]),
        **{f"orders/{name}.yaml": TEXTS for name in "abc"},
    }
).map(lambda files: {path: text for path, text in files.items() if text is not None})


@settings(max_examples=fewer(30, 60), deadline=None)
@given(st.lists(st.tuples(REGISTRIES, REGISTRIES), min_size=1, max_size=3))
def test_narrow_is_as_good_as_whole_whatever_was_kept(runs: list[tuple[dict[str, str], dict[str, str]]]) -> None:
    kept = RegistryCache()
    for old, new in runs:
        same_as_whole(old, new, kept)


def test_what_is_kept_serves_the_next_run(tmp_path: Path) -> None:
    same_as_whole(BASE, BASE, cache_for("here", tmp_path))
    (file,) = tmp_path.iterdir()
    before = file.read_bytes()
    kept = cache_for("here", tmp_path)
    assert len(before) > 100
    assert same_as_whole(BASE, {**BASE, "orders/d.yaml": message("d", "{}")}, kept) == ["orders/d.yaml"]


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda body: b"", id="empty"),
        pytest.param(lambda body: body[:-1], id="cut short"),
        pytest.param(lambda body: body[:40] + b"x" + body[41:], id="a byte is another"),
        pytest.param(lambda body: b"\0" * len(body), id="zeros"),
    ],
)
def test_a_damaged_file_is_no_file(tmp_path: Path, damage: object) -> None:
    same_as_whole(BASE, BASE, cache_for("here", tmp_path))
    (file,) = tmp_path.iterdir()
    file.write_bytes(damage(file.read_bytes()))  # type: ignore[operator]
    assert same_as_whole(BASE, {**BASE, "orders/d.yaml": message("d", "{}")}, cache_for("here", tmp_path))


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    same_as_whole(BASE, BASE, cache_for("here", tmp_path / "file"))


def test_where_files_are_kept() -> None:
    assert cache_folder("breaking", {"BABELREG_CACHE_DIR": "/x"}) == Path("/x/breaking")
    assert cache_folder("breaking", {"XDG_CACHE_HOME": "/y"}) == Path("/y/babelreg/breaking")
    assert cache_folder("breaking", {"XDG_CACHE_HOME": "relative"}) == Path.home() / ".cache/babelreg/breaking"


def test_what_another_version_found_is_not_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = cache_for("here", tmp_path)
    kept.put("seed", None, ())
    kept.save()
    monkeypatch.setattr(fingerprint, "digest", lambda: "another jsonschema-rs")
    assert cache_for("here", tmp_path).get("seed") is None


WRITER = """
import sys
from pathlib import Path
from babelreg.breaking.baseline.registry_cache import cache_for
for n in range(40):
    kept = cache_for("here", Path(sys.argv[1]))
    kept.put(f"{sys.argv[2]}{n}", None, ())
    kept.save()
    assert cache_for("here", Path(sys.argv[1])).get("seed") is not None
"""


def test_two_processes_never_see_half_a_file(tmp_path: Path) -> None:
    seed = cache_for("here", tmp_path)
    seed.put("seed", None, ())
    seed.save()
    source = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}
    command = [sys.executable, "-c", WRITER, str(tmp_path)]
    both = [subprocess.Popen([*command, name], env=source) for name in "ab"]
    assert [process.wait(timeout=120) for process in both] == [0, 0]
    assert [path.suffix for path in tmp_path.iterdir()] == [".messages"]


def test_a_file_that_is_not_sound_and_goes_takes_no_urn_along_that_another_declares() -> None:
    sound = "urn: urn:babel:orders:a\nkind: event\nproducers: [orders-api]\ndata: {type: object}\n"
    unsound = sound.replace("{type: object}", "{type: object, properties: {x: {$ref: ../_common/gone.yaml}}}")
    now = {"babelreg.yaml": "version: 1\n", "orders/b.yaml": sound}
    same_as_whole({**now, "orders/c.yaml": unsound}, now, RegistryCache())
