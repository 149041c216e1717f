"""Whatever is changed, in the registry, in what makes files or in the files: gen gives what making all anew gives."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from babelreg import load
from babelreg.cli import main
from babelreg.gen import render
from babelreg.gen.cache import generator_fingerprint
from babelreg.gen.seal import sealed
from babelreg.gen.targets import TARGETS

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "registry.example"


def gen(target: str, registry: Path, out: Path, *more: str) -> int:
    """The exit code of one run."""
    with pytest.raises(SystemExit) as ended:
        main(["gen", target, "--registry", str(registry), "--out", str(out), "--output", os.devnull, *more])
    return int(ended.value.code or 0)


def held(out: Path) -> dict[str, bytes]:
    """Every file but what Python leaves."""
    return {str(path.relative_to(out)): path.read_bytes() for path in sorted(out.rglob("*")) if path.is_file()}


def replaced(path: str, old: str, new: str) -> Callable[[Path, random.Random], None]:
    def change(registry: Path, dice: random.Random) -> None:
        file = registry / path
        if file.is_file():
            file.write_text(
                file.read_text("utf-8").replace(old, new.replace("NUMBER", str(dice.randrange(1000))), 1), "utf-8"
            )

    return change


def put(path: str, text: str) -> Callable[[Path, random.Random], None]:
    def change(registry: Path, dice: random.Random) -> None:
        (registry / path).write_text(text.replace("NUMBER", str(dice.randrange(1000))), "utf-8")

    return change


def gone(path: str) -> Callable[[Path, random.Random], None]:
    def change(registry: Path, dice: random.Random) -> None:
        (registry / path).unlink(missing_ok=True)

    return change


MORE = "urn: urn:babel:orders:packed\nkind: event\nowner: t\ndescription: Packed NUMBER.\nproducers: [orders-api]\ndata: {type: object}\n"

IN_THE_REGISTRY = {
    "a description": replaced("orders/created.v2.yaml", "description: An order", "description: NUMBER An order"),
    "a property": replaced("orders/created.v2.yaml", "  properties:\n", "  properties:\n    fNUMBER: {type: string}\n"),
    "what is required": replaced("orders/cancelled.yaml", "required: [order_id", "required: [order_id, fNUMBER"),
    "an example": replaced("orders/created.v2.yaml", "order_id: 1042", "order_id: NUMBER"),
    "the queue": replaced("orders/created.v2.yaml", "queue: orders", "queue: ordersNUMBER"),
    "the policy": replaced("orders/created.v2.yaml", "max_attempts: 5", "max_attempts: 7"),
    "a sunset": replaced("orders/created.yaml", "sunset:", "sunset: '2099-01-01' #"),
    "the status": replaced("orders/created.v2.yaml", "status: active", "status: draft"),
    "what it supersedes": replaced("orders/created.v2.yaml", "supersedes: ", "# supersedes: "),
    "a fragment": replaced("_common/money.yaml", "description: ", "description: NUMBER "),
    "a fragment's properties": replaced("_common/money.yaml", "properties:\n", "properties:\n  fNUMBER: {type: integer}\n"),
    "the owner of a context": replaced("orders/_context.yaml", "owner: team", "owner: NUMBERteam"),
    "how a context reads": put("media/_context.yaml", "owner: tNUMBER\ncompatibility: {reader: strict}\n"),
    "the owner of a service": replaced("_services/billing-worker.yaml", "owner: ", "owner: NUMBER"),
    "the language of a service": replaced("_services/billing-worker.yaml", "lang: ", "lang: go #"),
    "what a service reads": replaced("_services/billing-worker.yaml", "reads: [", "reads: [order_id, "),
    "another service": put("_services/packerNUMBER.yaml", "owner: t\nlang: go\nconsumes: [{urn: urn:babel:orders:created.v2}]\n"),
    "another message": put("orders/packed.yaml", MORE),
    "one message less": gone("media/thumbnail.generated.yaml"),
    "the package": put("babelreg.yaml", "version: 1\ngen: {python: {package: shopNUMBER}}\n"),
    "the models": put("babelreg.yaml", "version: 1\ngen: {python: {models: typeddict}}\n"),
    "how all read": put("babelreg.yaml", "version: 1\ncompatibility: {reader: strict}\n"),
    "a title": put("babelreg.yaml", "version: 1\ngen: {docs: {title: T NUMBER}}\n"),
    "nothing": lambda registry, dice: None,
}  # fmt: skip


def a_file(out: Path, dice: random.Random) -> Path:
    return dice.choice([path for path in sorted(out.rglob("*")) if path.is_file() and "_babelreg/" not in str(path)])


def edited(change: Callable[[bytes, random.Random], bytes]) -> Callable[[Path, random.Random], None]:
    def edit(out: Path, dice: random.Random) -> None:
        file = a_file(out, dice)
        file.write_bytes(change(file.read_bytes(), dice))

    return edit


def swapped(out: Path, dice: random.Random) -> None:
    one, two = a_file(out, dice), a_file(out, dice)
    held = one.read_bytes()
    one.write_bytes(two.read_bytes())
    two.write_bytes(held)


def digit_turned(content: bytes, dice: random.Random) -> bytes:
    at = content.find(b"(sum ") + 5
    return content[:at] + b"0123456789abcdef"[(n := dice.randrange(16)) : n + 1] + content[at + 1 :]


def shown(files: dict[str, bytes]) -> dict[str, bytes]:
    """``files``; of a list of them only what it lists."""

    def of_list(body: bytes) -> bytes:
        return b"\n".join(line for line in body.splitlines() if line[:1] != b"#")

    return {path: of_list(body) if path.endswith(".files") else body for path, body in files.items()}


def of_one_package(files: dict[str, bytes], fresh: Path) -> dict[str, bytes]:
    """``files``; where ``fresh`` is one package with a list of its own, those of that package."""
    packages = {path.parent.name for path in fresh.glob("*/.babelreg-*.files")}
    return {path: body for path, body in files.items() if not packages or path.split("/")[0] in packages}


IN_THE_FILES = {
    "a line more": edited(lambda content, dice: content + b"# mine\n"),
    "the last byte": edited(lambda content, dice: content[:-1] or b"x"),
    "other line ends": edited(lambda content, dice: content.replace(b"\n", b"\r\n")),
    "a digit of the sum": edited(digit_turned),
    "two files swapped": swapped,
    "a file less": lambda out, dice: a_file(out, dice).unlink(),
    "no list": lambda out, dice: next(iter(sorted(out.rglob(".babelreg-*.files")))).unlink(),
    "nothing": lambda out, dice: None,
}


def hold_the_law(target: str, steps: list[tuple[str, str, int]]) -> None:
    """After each step, a run of gen leaves what a run from nothing writes; and --check says before whether it will."""
    with tempfile.TemporaryDirectory() as temporary:
        registry, out = Path(temporary, "registry"), Path(temporary, "out")
        shutil.copytree(EXAMPLE, registry)
        assert gen(target, registry, out) == 0
        for in_the_registry, in_the_files, seed in steps:
            dice = random.Random(seed)
            IN_THE_REGISTRY[in_the_registry](registry, dice)
            IN_THE_FILES[in_the_files](out, dice)
            before, fresh = held(out), Path(temporary, f"fresh{seed}")
            assert gen(target, registry, fresh, "--no-cache") == 0
            anew = held(fresh)
            behind = shown(of_one_package(before, fresh)) != shown(anew)
            assert gen(target, registry, out, "--check") == behind, (in_the_registry, in_the_files)
            assert held(out) == before
            assert gen(target, registry, out) == 0
            left = of_one_package(held(out), fresh)
            left = {path: body for path, body in left.items() if path in anew or in_the_files != "no list"}
            assert shown(left) == shown(anew), (in_the_registry, in_the_files)
            assert gen(target, registry, out, "--check") == 0
            shutil.rmtree(fresh)


OVERWRITTEN = sorted(TARGETS.keys() - {"agents"})
"""The targets that overwrite an edited file; an edited block for agents is refused."""
STEPS = st.lists(
    st.tuples(st.sampled_from(sorted(IN_THE_REGISTRY)), st.sampled_from(sorted(IN_THE_FILES)), st.integers(0, 10**6)),
    min_size=1,
    max_size=3,
)


@settings(max_examples=4, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(OVERWRITTEN), STEPS)
def test_gen_gives_what_making_all_anew_gives(target: str, steps: list[tuple[str, str, int]]) -> None:
    hold_the_law(target, steps)


@pytest.mark.long
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(OVERWRITTEN), STEPS)
def test_gen_gives_what_making_all_anew_gives_in_its_long_form(target: str, steps: list[tuple[str, str, int]]) -> None:
    hold_the_law(target, steps)


@pytest.mark.parametrize("change", sorted(IN_THE_REGISTRY))
def test_every_change_of_the_registry_is_seen(change: str) -> None:
    hold_the_law("docs" if change in ("a title", "an example") else "python", [(change, "nothing", 1)])


@pytest.fixture
def templates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A copy of the templates, which is used instead."""
    copied = tmp_path / "templates"
    shutil.copytree(render.folder(), copied)
    monkeypatch.setattr(render, "folder", lambda: copied)
    monkeypatch.setattr(generator_fingerprint, "folder", lambda: copied)
    render._environment.cache_clear()
    yield copied
    render._environment.cache_clear()


def _preference(path: Path) -> tuple[bool, bool, str]:
    """Order templates: those of messages, then those that are rendered, then files that are taken as they are."""
    return not path.name.startswith("message"), path.suffix != ".jinja", path.name


@pytest.mark.parametrize("target", [name for name in TARGETS if (render.folder() / name).is_dir()])
def test_another_template_is_seen(target: str, templates: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert gen(target, EXAMPLE, out) == 0
    before = held(out)
    # A template of messages, where the target has one.
    template = min((templates / target).iterdir(), key=_preference)
    template.write_text(template.read_text("utf-8") + "\n# other\n", "utf-8")
    render._environment.cache_clear()
    assert gen(target, EXAMPLE, out, "--check") == 1
    assert gen(target, EXAMPLE, out) == 0
    after = held(out)
    changed = {path for path, body in after.items() if b"# other" in body}
    assert len(changed) == 10 if template.name.startswith("message") else changed
    assert {path for path, body in after.items() if body != before[path]} == changed | {
        path for path in after if path.endswith(".files")
    }


def changed_code(home: Path, path: str) -> None:
    file = home / "babelreg" / path
    file.write_text(file.read_text("utf-8") + "\n# other\n", "utf-8")


@pytest.mark.parametrize(
    "path",
    [
        "gen/targets/python/package.py",
        "typemap/shapes.py",
        "runtime/producer/produce.py",
        "load/registry/bundle.py",
        "contract/views/__init__.py",
    ],
)
def test_other_code_is_another_maker(path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    shutil.copytree(ROOT / "babelreg", home / "babelreg", ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(generator_fingerprint.fingerprint, "__file__", str(home / "babelreg/cache/fingerprint.py"))
    before = generator_fingerprint.generator_fingerprint()
    changed_code(home, path)
    after = generator_fingerprint.generator_fingerprint()
    assert before is not None
    assert after is not None
    assert before.mark != after.mark
    assert before.key != after.key


IMPORTED = """
import sys
from babelreg import load
from babelreg.cli import main
try:
    main(sys.argv[1:])
except SystemExit as ended:
    assert not ended.code, ended.code
heavy = {"datamodel_code_generator", "jinja2", "pydantic", "pydantic_core", "jsonschema", "jsonschema_rs", "yaml", "xml"}
print(sorted(heavy & sys.modules.keys()))
"""


def imported(*args: object) -> str:
    """Which of the heavy packages one run imports."""
    command = [sys.executable, "-c", IMPORTED, "gen", *map(str, args)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


def test_a_run_that_changes_nothing_imports_nothing_heavy(tmp_path: Path) -> None:
    registry, out = tmp_path / "registry", tmp_path / "out"
    shutil.copytree(EXAMPLE, registry)
    run = ("python", "--registry", registry, "--out", out)
    assert "datamodel_code_generator" in imported(*run, "--no-cache")
    imported(*run)
    assert imported(*run) == "[]"
    assert imported(*run, "--check") == "[]"


def test_a_message_of_known_shapes_needs_no_generator_and_a_check_without_a_cache_neither(tmp_path: Path) -> None:
    registry, out = tmp_path / "registry", tmp_path / "out"
    shutil.copytree(EXAMPLE, registry)
    run = ("python", "--registry", registry, "--out", out)
    imported(*run)
    replaced("orders/cancelled.yaml", "  properties:\n", "  properties:\n    more: {type: string}\n")(
        registry, random.Random(1)
    )
    assert imported(*run) == "['jinja2', 'jsonschema_rs', 'yaml']"
    with fresh_clone(tmp_path):
        assert imported(*run, "--check") == "['jsonschema_rs', 'yaml']"


@contextmanager
def fresh_clone(folder: Path) -> Iterator[None]:
    """Nothing is kept from earlier runs."""
    before = os.environ["BABELREG_CACHE_DIR"]
    os.environ["BABELREG_CACHE_DIR"] = str(folder / "no cache")
    try:
        yield
    finally:
        os.environ["BABELREG_CACHE_DIR"] = before


def test_all_that_makes_files_is_part_of_the_maker(tmp_path: Path) -> None:
    shown = IMPORTED.replace("print(sorted(heavy & sys.modules.keys()))", "print(*sorted(sys.modules))")
    command = [
        sys.executable,
        "-c",
        shown,
        "gen",
        "python",
        "--registry",
        str(EXAMPLE),
        "--out",
        str(tmp_path),
        "--no-cache",
    ]
    modules = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    ours = {name.replace(".", "/").removeprefix("babelreg/") for name in modules if name.startswith("babelreg.")}
    covered = tuple(part.removesuffix(".py") for part in generator_fingerprint.PARTS)
    strange = {name for name in ours if not any(name == part or name.startswith(f"{part}/") for part in covered)}
    # What is left only prints.
    assert {name for name in strange if name.partition("/")[0] not in ("cli", "report")} == set()


def test_a_forged_sum_is_seen_where_all_is_made_anew(tmp_path: Path) -> None:
    out, path = tmp_path / "out", "spark_schemas/orders_cancelled.py"
    assert gen("spark", EXAMPLE, out) == 0
    files = TARGETS["spark"].files(load.registry(EXAMPLE), {})
    (wanted,) = [file for file in files if file.path == path]
    assert wanted.header_line is not None
    (out / path).write_text(sealed(path, wanted.text + "import this\n", wanted.header_line), "utf-8")
    with fresh_clone(tmp_path):
        assert gen("spark", EXAMPLE, out, "--check") == 0  # a sum is no signature, and docs/python.md says so
        assert gen("spark", EXAMPLE, out, "--check", "--no-cache") == 1
        assert gen("spark", EXAMPLE, out, "--no-cache") == 0
    assert "import this" not in (out / path).read_text("utf-8")
