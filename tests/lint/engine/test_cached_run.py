"""The cache of verdicts: it answers as lint would, whatever happened to the files, and never stands in the way."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from datetime import date
from pathlib import Path

import pytest
from click.testing import CliRunner
from examples import fewer
from hypothesis import given, settings
from hypothesis import strategies as st

from babelreg import lint, load
from babelreg.atomic_write import UNFINISHED
from babelreg.cache import fingerprint, store
from babelreg.cache.folder import cache_folder
from babelreg.cache.store import CacheLimits, CacheStore
from babelreg.cli.lint import command as lint_command
from babelreg.finding import NOTHING, Finding, Place, Severity
from babelreg.lint.engine.cached_run import RunResult, cached_result
from babelreg.load.files import snapshot
from babelreg.load.files.tree import Memory, Tree

REPOSITORY = Path(__file__).parents[3]
DAY = date(2026, 11, 21)
FILES = {
    "babelreg.yaml": "version: 1\n",
    "_common/money.yaml": "type: object\nproperties: {minor: {type: integer}}\n",
    "_common/deep/price.yaml": "type: integer\n",
    "_services/orders-api.yaml": "owner: team-orders\nlang: go\n",
    "orders/_context.yaml": "owner: team-orders\n",
    "orders/created.yaml": """\
urn: urn:babel:orders:created
kind: event
producers: [orders-api]
data:
  type: object
  properties: {total: {$ref: ../_common/money.yaml}, price: {$ref: ../_common/deep/price.yaml}}
examples: {file: created.jsonl}
""",
    "orders/created.jsonl": '{"total": {"minor": 1}}\n{"price": "a"}\n',
    "orders/paid.yaml": "urn: urn:babel:orders:paid\nkind: event\nproducers: [orders-api]\ndata: {type: object}\n",
    "new/other.yaml": "urn: urn:babel:new:other\n",
}
TEXTS = [
    *FILES.values(),
    "",
    "[",
    "urn: urn:babel:orders:Paid\nkind: event\n",
    "type: string\n",
    "{}\n",
    "\xff",
    '{"price": 1}\n',
]
PATHS = [
    *FILES,
    "pyproject.toml",
    "orders/more.yaml",
    "_common/deep/more.yaml",
    "orders/more.jsonl",
    "orders/_x.yaml",
    "README.md",
    "x.yml",
]


def write(root: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, "utf-8")


def judged(root: Path, tree: Tree | None = None) -> RunResult:
    opened = load.registry(root, tree)
    return RunResult(tuple(lint.run(opened, today=DAY)), {"messages": len(opened.messages)})


class Counting:
    """Lint of one folder through a cache; ``runs`` counts how often the rules had to be asked."""

    def __init__(self, root: Path, folder: Path, limits: CacheLimits | None = None) -> None:
        self.root = root
        self.folder = folder
        self.store = CacheStore(folder, "result", limits)
        self.runs = 0

    def judge(self, tree: Tree) -> RunResult:
        self.runs += 1
        return judged(self.root, tree)

    def verdict(self, *asked: str) -> RunResult:
        return cached_result(self.store, load.folder(self.root), asked, self.judge)


@pytest.fixture
def linted(tmp_path: Path) -> Counting:
    write(tmp_path / "registry", FILES)
    return Counting(tmp_path / "registry", tmp_path / "kept")


def entry(linted: Counting) -> Path:
    (found,) = linted.folder.iterdir()
    return found


def test_the_second_run_asks_no_rule(linted: Counting) -> None:
    first = linted.verdict()
    assert (linted.verdict(), linted.runs) == (first, 1)
    assert first == judged(linted.root)
    assert first.findings


def test_files_put_back_are_known_again(linted: Counting) -> None:
    linted.verdict()
    paid = linted.root / "orders/paid.yaml"
    paid.write_text("urn: urn:babel:orders:paid\n", "utf-8")
    linted.verdict()
    paid.write_text(FILES["orders/paid.yaml"], "utf-8")
    linted.verdict()
    assert linted.runs == 2


@pytest.mark.parametrize(
    "path, text",
    [
        pytest.param("babelreg.yaml", "version: 1\nlint: {rules: {example-invalid: off}}\n", id="the settings"),
        pytest.param("orders/paid.yaml", FILES["orders/paid.yaml"].replace("paid", "sold"), id="a message, of the same length"),
        pytest.param("orders/created.jsonl", FILES["orders/created.jsonl"].replace('"a"', "123"), id="a file of examples, of the same length"),
        pytest.param("_common/deep/price.yaml", "type: boolean\n", id="a fragment further down"),
        pytest.param("new/other.yaml", "usn: url:babel:new:other\n", id="a message in a folder that is no context"),
        pytest.param("_services/orders-api.yaml", "owner: team-orders\nlang: js\n", id="a service"),
    ],
)  # fmt: skip
def test_another_content_is_another_verdict_though_the_time_stays(path: str, text: str, linted: Counting) -> None:
    before = linted.verdict()
    times = (linted.root / path).stat()
    (linted.root / path).write_text(text, "utf-8")
    os.utime(linted.root / path, ns=(times.st_atime_ns, times.st_mtime_ns))
    after = linted.verdict()
    assert linted.runs == 2
    assert after == judged(linted.root) != before


@pytest.mark.parametrize(
    "path",
    [
        pytest.param("orders/created.jsonl", id="of examples"),
        pytest.param("_common/deep/price.yaml", id="further down"),
        pytest.param("orders/paid.yaml", id="of a message"),
    ],
)
def test_a_file_that_vanishes_and_comes_back_is_noticed(path: str, linted: Counting) -> None:
    for _ in range(2):
        (linted.root / path).rename(linted.root / "gone.bak")
        assert linted.verdict() == judged(linted.root)
        (linted.root / "gone.bak").rename(linted.root / path)
        assert linted.verdict() == judged(linted.root)


def test_another_question_is_another_verdict(linted: Counting) -> None:
    for asked in (["a"], ["b"], ["a", "b"], ["ab"], ["a"]):
        linted.verdict(*asked)
    assert linted.runs == 4


def test_other_code_is_another_verdict(linted: Counting, monkeypatch: pytest.MonkeyPatch) -> None:
    linted.verdict()
    monkeypatch.setattr(fingerprint, "digest", lambda: "other")
    linted.verdict()
    monkeypatch.setattr(fingerprint, "digest", lambda: None)
    linted.verdict()
    linted.verdict()
    assert linted.runs == 4


ACTS = st.one_of(
    st.tuples(st.just("write"), st.sampled_from(PATHS), st.sampled_from(TEXTS)),
    st.tuples(st.just("write"), st.sampled_from(PATHS), st.text(max_size=20)),
    st.tuples(st.just("rename"), st.sampled_from(PATHS), st.sampled_from(PATHS)),
    st.tuples(st.just("delete"), st.sampled_from(PATHS), st.just("")),
    st.tuples(st.just("link"), st.sampled_from(PATHS), st.sampled_from(PATHS)),
    st.tuples(st.just("folder"), st.sampled_from(PATHS), st.just("")),
    st.tuples(st.just("same size and time"), st.sampled_from(PATHS), st.sampled_from("ab:{ \n1")),
    st.tuples(st.just("restore"), st.just(""), st.just("")),
)


def act(root: Path, kind: str, path: str, what: str) -> None:
    """Do one thing to a registry; what the system refuses is not done."""
    full = root / path
    try:
        full.parent.mkdir(parents=True, exist_ok=True)
        if kind == "write":
            full.write_bytes(what.encode("latin-1", "replace"))
        elif kind == "rename":
            full.rename(root / what)
        elif kind == "delete":
            full.unlink()
        elif kind == "link":
            full.unlink(missing_ok=True)
            full.symlink_to(root / what)
        elif kind == "folder":
            full.unlink(missing_ok=True)
            full.mkdir()
        elif kind == "same size and time":
            body, status = full.read_bytes(), full.stat()
            full.write_bytes(body[: len(body) // 2] + what.encode() + body[len(body) // 2 + 1 :])
            os.utime(full, ns=(status.st_atime_ns, status.st_mtime_ns))
        else:
            shutil.rmtree(root)
            write(root, FILES)
    except OSError:
        pass


def holds_for(acts: list[tuple[str, str, str]]) -> None:
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=memory) as folder:
        root = Path(folder) / "registry"
        write(root, FILES)
        linted = Counting(root, Path(folder) / "kept")
        for kind, path, what in [("", "", ""), *acts]:
            if kind:
                act(root, kind, path, what)
            for _ in range(2):
                assert linted.verdict() == judged(root), (kind, path, what)


@settings(max_examples=5, deadline=None)
@given(st.lists(ACTS, max_size=8))
def test_no_verdict_is_old(acts: list[tuple[str, str, str]]) -> None:
    holds_for(acts)


@pytest.mark.long
@settings(max_examples=2500, deadline=None)
@given(st.lists(ACTS, max_size=12))
def test_no_verdict_is_old_in_many_histories(acts: list[tuple[str, str, str]]) -> None:
    holds_for(acts)


def test_the_verdict_is_of_the_files_that_were_read(linted: Counting) -> None:
    """A file that is written to while lint runs changes neither this verdict nor what is kept of it."""

    def judge(tree: Tree) -> RunResult:
        write(linted.root, {"orders/paid.yaml": "urn: urn:babel:orders:paid\nkind: evnt\n"})
        return judged(linted.root, tree)

    before = judged(linted.root)
    assert cached_result(linted.store, load.folder(linted.root), [], judge) == before
    assert linted.verdict() == judged(linted.root) != before


TEXT = st.none() | st.text(max_size=5)
PLACES = st.builds(Place, st.text(max_size=5), st.integers(0, 9), st.integers(0, 9))
FINDINGS = st.builds(
    Finding,
    rule=st.text(max_size=5),
    severity=st.sampled_from(Severity),
    message=st.text(st.characters(), max_size=5),
    place=PLACES,
    urn=TEXT,
    pointer=TEXT,
    fix=TEXT,
    reason=TEXT,
    against=st.none() | PLACES,
    direction=TEXT,
    breaks=st.lists(st.text(max_size=5), max_size=2).map(tuple),
    witness=st.just(NOTHING) | st.none() | st.booleans() | st.lists(st.integers(), max_size=2),
)


@settings(max_examples=fewer(20, 40), deadline=None)
@given(st.lists(FINDINGS, max_size=2), st.dictionaries(st.text(max_size=5), st.integers(), max_size=2))
def test_a_verdict_comes_back_as_it_was(findings: list[Finding], counts: dict[str, int]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        said = RunResult(tuple(findings), counts)
        tree = Memory({"babelreg.yaml": b""})
        store = CacheStore(Path(folder), "result")
        assert cached_result(store, tree, [], lambda _: said) == said
        assert cached_result(store, tree, [], lambda _: RunResult(())) == said


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda body: b"", id="empty"),
        pytest.param(lambda body: body[:-1], id="cut short"),
        pytest.param(lambda body: body[:30], id="cut within its sum"),
        pytest.param(lambda body: body.replace(b"example-invalid", b"example-imvalid"), id="one letter changed"),
        pytest.param(lambda body: body + b" ", id="longer"),
        pytest.param(lambda body: b"\x00" * len(body), id="zeros"),
        pytest.param(lambda body: store._checksum(b"[]") + b"[]", id="other JSON with a sum of its own"),
        pytest.param(lambda body: store._checksum(b"[" * 9999) + b"[" * 9999, id="brackets with a sum of their own"),
        pytest.param(lambda body: store._checksum(b'{"further":[],"findings":[[]]}') + b'{"further":[],"findings":[[]]}', id="a finding without parts"),
        pytest.param(lambda body: b"x" * (CacheLimits().entry_bytes + 99), id="larger than any entry"),
    ],
)  # fmt: skip
def test_what_was_not_written_so_is_no_entry(damage, linted: Counting) -> None:
    before = linted.verdict()
    whole = entry(linted).read_bytes()
    entry(linted).write_bytes(damage(whole))
    assert linted.verdict() == before
    assert linted.runs == 2
    assert entry(linted).read_bytes() == whole


@pytest.mark.parametrize("kind", ["folder", "pipe", "link to nowhere", "link to itself", "link to an entry"])
def test_what_is_no_file_is_no_entry(kind: str, linted: Counting) -> None:
    before = linted.verdict()
    at = entry(linted)
    entry_bytes = at.read_bytes()
    at.unlink()
    if kind == "folder":
        at.mkdir()
    elif kind == "pipe":
        os.mkfifo(at)
    else:
        (at.parent / "entry").write_bytes(entry_bytes)
        at.symlink_to({"itself": at, "nowhere": at.parent / "nowhere", "entry": at.parent / "entry"}[kind.split()[-1]])
    assert (linted.verdict(), linted.runs) == (before, 2)


def test_a_folder_that_cannot_be_is_no_error(linted: Counting) -> None:
    (linted.root.parent / "kept").write_text("a file stands here")
    assert linted.verdict() == linted.verdict() == judged(linted.root)
    assert (linted.root.parent / "kept").read_text() == "a file stands here"


def test_registries_too_large_to_keep_are_judged_as_ever(linted: Counting, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshot, "MAX_TOTAL_BYTES", 100)
    assert linted.verdict() == linted.verdict() == judged(linted.root)
    assert linted.runs == 2
    assert not linted.folder.exists()


def test_what_was_used_longest_ago_goes_first(linted: Counting) -> None:
    linted.store = CacheStore(linted.folder, "result", CacheLimits(entries=3))
    now = 1_700_000_000
    for number in range(3):
        linted.verdict(str(number))
        newest = max(linted.folder.iterdir(), key=lambda e: e.stat().st_mtime_ns)
        os.utime(newest, (now + number, now + number))
    linted.verdict("0")  # used again
    linted.verdict("3")
    assert (len(list(linted.folder.iterdir())), linted.runs) == (3, 4)
    linted.verdict("0")
    assert linted.runs == 4
    linted.verdict("1")
    assert linted.runs == 5


def test_the_cache_stays_small_and_leaves_what_is_not_its_own(linted: Counting) -> None:
    linted.store = CacheStore(linted.folder, "result", CacheLimits(total_bytes=3000))
    linted.verdict()
    (linted.folder / "notes.txt").write_text("mine" * 2000)
    for number in range(20):
        linted.verdict(str(number))
    ours = [e.stat().st_size for e in linted.folder.iterdir() if e.name != "notes.txt"]
    assert 0 < sum(ours) <= 3000
    assert (linted.folder / "notes.txt").exists()


@pytest.mark.parametrize(
    "environment, folder",
    [
        pytest.param({"BABELREG_CACHE_DIR": "/a", "XDG_CACHE_HOME": "/b"}, "/a/lint", id="our own variable wins"),
        pytest.param({"XDG_CACHE_HOME": "/b"}, "/b/babelreg/lint", id="the desktop's"),
        pytest.param({"XDG_CACHE_HOME": "b"}, "~/.cache/babelreg/lint", id="a relative one does not count"),
        pytest.param({"BABELREG_CACHE_DIR": "", "XDG_CACHE_HOME": ""}, "~/.cache/babelreg/lint", id="empty ones neither"),
        pytest.param({}, "~/.cache/babelreg/lint", id="none"),
    ],
)  # fmt: skip
def test_where_verdicts_are_kept(environment: dict[str, str], folder: str) -> None:
    assert cache_folder("lint", environment) == Path(folder).expanduser()


# -- as a process -------------------------------------------------------------------------------------------------------


def program(more: str = "") -> list[str]:
    head = f"import sys; sys.path.insert(0, {str(REPOSITORY)!r})\nfrom babelreg.cli import main\n"
    return [sys.executable, "-c", f"{head}try: main(['lint', *sys.argv[1:]])\nfinally: {more or 'pass'}"]


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return {**os.environ, "BABELREG_CACHE_DIR": str(tmp_path / "cache")}


def run(linted: Counting, env: dict[str, str], *arguments: str, more: str = "") -> subprocess.CompletedProcess[str]:
    command = [*program(more), "--registry", str(linted.root), *arguments]
    return subprocess.run(command, env=env, capture_output=True, text=True, encoding="utf-8", check=False)


def command(linted: Counting, *arguments: str) -> str:
    """What the command prints, run in this process."""
    return CliRunner().invoke(lint_command, ["--registry", str(linted.root), *arguments]).stdout


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which the command keeps its verdicts here."""
    monkeypatch.setenv("BABELREG_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


SHOWN = "print('modules:', *sorted(sys.modules))"


def modules(done: subprocess.CompletedProcess[str]) -> set[str]:
    return set(done.stdout.splitlines()[-1].split()[1:])


def test_a_known_verdict_imports_no_rule_no_yaml_and_no_validator(linted: Counting, env: dict[str, str]) -> None:
    cold, warm = (run(linted, env, more=SHOWN) for _ in range(2))
    assert (warm.returncode, warm.stderr) == (cold.returncode, cold.stderr)
    assert warm.stdout.splitlines()[:-1] == cold.stdout.splitlines()[:-1] != []
    assert {"yaml", "jsonschema_rs", "babelreg.lint.engine.run"} <= modules(cold)
    heavy = {"yaml", "_yaml", "jsonschema_rs", "orjson", "difflib", "babelreg.load.registry.builder"}
    assert not modules(warm) & heavy
    brought = {
        name for name in modules(warm) if name.startswith(("babelreg.lint.", "babelreg.model", "babelreg.contract"))
    }
    assert brought == {"babelreg.lint.engine", "babelreg.lint.engine.cached_run", "babelreg.lint.engine.selection"}


def test_all_that_judges_is_part_of_the_question(linted: Counting, env: dict[str, str]) -> None:
    (linted.root / "orders/wrong.yaml").write_text(
        "urn: urn:babel:orders:wrong\nkind: evnt\ndata: {type: objct}\n", "utf-8"
    )
    judging = modules(run(linted, env, "--no-cache", more=SHOWN)) - modules(run(linted, env, "--help", more=SHOWN))
    ours = {name.replace(".", "/").removeprefix("babelreg/") for name in judging if name.startswith("babelreg.")}
    covered = tuple(part.removesuffix(".py") for part in fingerprint.CHECK_PARTS)
    strange = {name for name in ours if not any(name == part or name.startswith(f"{part}/") for part in covered)}
    assert {name for name in strange if not name.startswith("report")} == set()
    foreign = {name.partition(".")[0] for name in judging} - set(sys.stdlib_module_names) - {"babelreg"}
    assert {name.strip("_") for name in foreign if "cython" not in name} <= {"yaml", *fingerprint.CHECK_PACKAGES}


def test_the_code_of_every_rule_is_part_of_the_question(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "babelreg"
    shutil.copytree(REPOSITORY / "babelreg", home, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(fingerprint, "__file__", str(home / "cache" / "fingerprint.py"))
    seen = {fingerprint.digest()}
    for path in (
        "lint/rules/urn/urn_syntax.py",
        "load/yaml/parser.py",
        "load/registry/schemas/message.schema.json",
        "lint/english/verbs.txt",
    ):
        with (home / path).open("a") as file:
            file.write(" ")
        seen.add(fingerprint.digest())
    assert len(seen) == 5
    assert None not in seen
    shutil.rmtree(home / "lint")
    assert fingerprint.digest() is None


def test_without_the_cache_nothing_is_kept(linted: Counting, cache: Path) -> None:
    command(linted, "--no-cache")
    assert not cache.exists()
    command(linted)
    assert (cache / "lint").is_dir()


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(["--today", "2031-01-01"], id="another day"),
        pytest.param(["PATH"], id="a path"),
    ],
)
def test_what_was_asked_is_part_of_the_question(
    other: list[str], linted: Counting, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = [str(linted.root / "orders/paid.yaml") if part == "PATH" else part for part in other]
    for number in range(300):  # a path into a smaller registry is not looked up
        (linted.root / "orders" / f"n{number}.txt").write_text("")
    with monkeypatch.context() as elsewhere:
        elsewhere.setenv("BABELREG_CACHE_DIR", str(cache.with_name("other")))
        alone = command(linted, *asked)
    command(linted)
    assert command(linted, *asked) == alone != ""
    assert len(list((cache / "lint").iterdir())) == 2


def test_a_path_into_a_small_registry_is_judged_at_once(linted: Counting, cache: Path) -> None:
    assert command(linted, str(linted.root / "orders/paid.yaml"))
    assert not cache.exists()


IN_A_LOOP = """
import sys
from pathlib import Path

sys.path.insert(0, sys.argv[1])
from babelreg.cache.store import CacheLimits, CacheStore
from babelreg.lint.engine.cached_run import RunResult, cached_result
from babelreg.load.files.tree import Memory

store, tree = CacheStore(Path(sys.argv[2]), "result", CacheLimits(entries=2)), Memory({"babelreg.yaml": b"version: 1"})
for number in range(80):
    verdict = RunResult((), {str(number % 4): 1000 * "x"})
    assert cached_result(store, tree, [str(number % 4)], lambda tree: verdict) == verdict
"""


def test_many_processes_at_once_agree(linted: Counting) -> None:
    command = [sys.executable, "-c", IN_A_LOOP, str(REPOSITORY), str(linted.folder)]
    running = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(3)]
    assert [(p.communicate()[1], p.returncode) for p in running] == [("", 0)] * 3
    assert not [e.name for e in linted.folder.iterdir() if e.name.endswith(UNFINISHED)]


def test_settings_above_the_registry_are_part_of_the_question(linted: Counting) -> None:
    above = linted.root.parent / "pyproject.toml"
    before = linted.verdict()
    above.write_text("[tool.babelreg.lint.rules]\nexample-invalid = 'off'\n", "utf-8")
    assert linted.verdict() == before  # no repository: nothing above is read
    (linted.root.parent / ".git").mkdir()
    assert linted.verdict() == judged(linted.root) != before
    above.write_text("[tool.babelreg.lint.rules]\nexample-missing = 'off'\n", "utf-8")
    assert linted.verdict() == judged(linted.root) != before
    above.unlink()
    assert linted.verdict() == before
