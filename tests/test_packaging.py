"""What is installed finds its templates, schemas and example: from a wheel and from an editable checkout alike."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from collections.abc import Iterable
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement

from babelreg import __version__

ROOT = Path(__file__).parents[1]

LOOK = """
import babelreg
from pathlib import Path
from babelreg.gen.render import folder as templates_folder
from babelreg.load.registry.file_validation import FORMATS, schema_text
from babelreg.load.service.starter import example_folder
assert Path(babelreg.__file__).is_relative_to(r'{site}'), babelreg.__file__
folder = templates_folder()
assert {{p.name for p in folder.iterdir() if p.is_dir()}} >= {{'python', 'spark', 'docs'}}, folder
assert (example_folder() / 'babelreg.yaml').is_file()
assert all(schema_text(name).startswith('{{') for name in FORMATS)
"""


@pytest.fixture(scope="module")
def wheels(tmp_path_factory) -> Path:
    """All archives, built here where the packages are installed that build them."""
    folder = tmp_path_factory.mktemp("wheels")
    installed = all(map(find_spec, ("hatchling", "hatch_fancy_pypi_readme")))
    build(folder, *(["--no-isolation"] if installed else []))
    return folder


def build(folder: Path, *options: str) -> None:
    command = [sys.executable, str(ROOT / "tools" / "wheels.py"), *options, "--out", str(folder)]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr


@pytest.fixture(scope="module")
def wheel(wheels) -> Path:
    (made,) = wheels.glob("babelreg-*.whl")
    return made


@pytest.fixture(scope="module")
def runtime_wheel(wheels) -> Path:
    (made,) = wheels.glob("babelreg_runtime-*.whl")
    return made


@pytest.fixture(scope="module")
def sdist(wheels, tmp_path_factory) -> Path:
    """The sdist, unpacked."""
    (made,) = wheels.glob("babelreg-*.tar.gz")
    folder = tmp_path_factory.mktemp("sdist")
    with tarfile.open(made) as archive:
        archive.extractall(folder, filter="data")
    return folder / f"babelreg-{__version__}"


def test_the_sdist_holds_every_file_of_the_repository(sdist):
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode != 0:
        pytest.skip("not a git checkout")
    files = {name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()}
    packed = {path.relative_to(sdist).as_posix() for path in sdist.rglob("*") if path.is_file()}
    assert files - packed == {".ci/run", ".git-blame-ignore-revs"}


def contents(archive: Path) -> list[str]:
    if archive.suffix == ".whl":
        return sorted(zipfile.ZipFile(archive).namelist())
    with tarfile.open(archive) as tar:
        return sorted(tar.getnames())


@pytest.mark.servers  # It installs from a package index, as `make wheels` does.
def test_the_requirements_of_the_build_are_enough(wheels, tmp_path):
    """In an environment that has nothing else, it makes archives of the same files."""
    build(tmp_path)
    assert {path.name: contents(path) for path in tmp_path.iterdir()} == {
        path.name: contents(path) for path in wheels.iterdir()
    }


@pytest.mark.parametrize(
    "package",
    [
        "tests/report/styles",
        *(pytest.param(name, marks=pytest.mark.long) for name in ("tests/model", "tests/load", "tests/report")),
    ],
)
def test_the_sdist_passes_its_own_tests(package, sdist):
    """A part of them; ``make test`` runs all there as in a clone."""
    program = "import sys, babelreg, pytest; print(babelreg.__file__); sys.exit(pytest.main(sys.argv[1:]))"
    command = [sys.executable, "-c", program, "-q", "-p", "no:cacheprovider", "-p", "no:xdist", package]
    env = {**os.environ, "PYTHONPATH": str(sdist), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, cwd=sdist, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert Path(done.stdout.partition("\n")[0]).is_relative_to(sdist)
    assert int(re.findall(r"(\d+) passed", done.stdout)[-1]) > 80


def test_twine_accepts_all_of_them(wheels):
    command = [sys.executable, "-m", "twine", "check", "--strict", *map(str, sorted(wheels.iterdir()))]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.count("PASSED")) == (0, 3), done.stdout + done.stderr


def test_the_page_of_the_package_index_has_no_link_into_the_repository(wheel):
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        text = archive.read(name).decode()
    links = re.findall(r"\]\(([^)]+)\)", text)
    assert len(links) > 20
    assert [link for link in links if not link.startswith("https://")] == []


VERSIONS = re.compile(r"(?:babelreg/babelreg@v|rev: v)([\w.]*\w)")


def test_every_text_that_names_the_version_names_this_one():
    """The version is written in ``babelreg/__init__.py``; this finds what an edit there leaves behind."""
    newest = re.findall(r"^## \[([\w.]+)\]", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)[0]
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    named = [version for page in pages for version in VERSIONS.findall(page.read_text("utf-8"))]
    assert len(named) >= 5
    assert {newest, *named} == {__version__}


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def needed(requirements: Iterable[Requirement], seen: set[str]) -> set[str]:
    """Return the names of the distributions that ``requirements`` bring into this environment."""
    for requirement in requirements:
        if canonical(requirement.name) not in seen:
            seen.add(canonical(requirement.name))
            extras = requirement.extras or {""}
            below = map(Requirement, metadata.requires(requirement.name) or ())
            needed((r for r in below if not r.marker or any(r.marker.evaluate({"extra": e}) for e in extras)), seen)
    return seen


def pins() -> list[str]:
    return [line for line in (ROOT / "constraints.txt").read_text("utf-8").splitlines() if not line.startswith("#")]


def test_every_requirement_of_the_base_install_is_pinned():
    pinned = {canonical(name): version for name, _, version in (pin.partition("==") for pin in pins())}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    direct = [Requirement(text) for text in project["dependencies"]]
    assert needed(direct, set()) - pinned.keys() == set()
    assert [str(need) for need in direct if not need.specifier.contains(pinned[canonical(need.name)])] == []


def test_every_hook_installs_the_pinned_versions():
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    assert [hook["id"] for hook in hooks if hook["additional_dependencies"] != pins()] == []


def test_the_container_file_is_linted():
    hadolint = shutil.which("hadolint", path=str(Path(sys.executable).parent)) or shutil.which("hadolint")
    if hadolint is None:
        pytest.skip("hadolint is not installed: pip install '.[dev]'")
    done = subprocess.run([hadolint, "Dockerfile"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")


def test_the_container_gets_every_file_that_the_wheel_is_built_from():
    sent = {line[1:] for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines() if line.startswith("!")}
    assert sent == {
        "babelreg",
        "templates",
        "registry.example",
        "pyproject.toml",
        "README.md",
        "LICENSE",
        "constraints.txt",
    }
    assert [name for name in sent if not (ROOT / name).exists()] == []


@pytest.mark.servers  # It installs from a package index, as the hooks do.
def test_the_base_install_is_below_the_size_that_the_readme_names(wheel, tmp_path):
    (limit_mb,) = re.findall(r"pip install \. .*under (\d+) MB", (ROOT / "README.md").read_text("utf-8"))
    venv.create(tmp_path / "env", with_pip=False)
    python = tmp_path / "env" / "bin" / "python"
    command = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", str(wheel)]
    subprocess.run(command, check=True)
    files = (path for path in (tmp_path / "env" / "lib").rglob("*") if path.is_file())
    assert sum(file.stat().st_blocks * 512 for file in files) < int(limit_mb) * 1_000_000


def test_the_wheel_holds_what_the_package_needs(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    for part in (
        "templates/python/",
        "templates/spark/",
        "templates/docs/",
        "templates/lake_report/style.css",
        "registry.example/babelreg.yaml",
        "load/registry/schemas/message.schema.json",
        "py.typed",
    ):
        assert any(name.startswith(f"babelreg/{part}") for name in names), part
    assert not [name for name in names if name.startswith(("tests/", "templates/")) or "__pycache__" in name]


def test_an_installed_wheel_finds_its_templates_and_generates(wheel, tmp_path):
    venv.create(tmp_path / "env", with_pip=False)
    python = tmp_path / "env" / "bin" / "python"
    # The dependencies are those of the running environment; babelreg itself comes from the wheel alone.
    site = next((tmp_path / "env" / "lib").glob("python*")) / "site-packages"
    zipfile.ZipFile(wheel).extractall(site)
    here = next(path for path in sys.path if path.endswith("site-packages"))
    (site / "dependencies.pth").write_text(
        "\n".join([*_dependencies_only(Path(here), tmp_path / "dependencies")]) + "\n", "utf-8"
    )
    done = subprocess.run(
        [str(python), "-I", "-c", LOOK.format(site=site)], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert done.returncode == 0, done.stderr
    made = subprocess.run(
        [
            str(python),
            "-I",
            "-m",
            "babelreg",
            "gen",
            "docs",
            "--registry",
            str(site / "babelreg" / "registry.example"),
            "--out",
            str(tmp_path / "docs"),
        ],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    assert made.returncode == 0, made.stderr
    assert (tmp_path / "docs").is_dir()


def test_the_wheel_of_the_runtime_is_one_package_that_shares_no_file(wheel, runtime_wheel):
    names = zipfile.ZipFile(runtime_wheel).namelist()
    assert {name.partition("/")[0].partition("-")[0] for name in names} == {"babelreg_runtime"}
    assert not set(names) & set(zipfile.ZipFile(wheel).namelist())
    assert "babelreg_runtime/py.typed" in names
    metadata = next(name for name in names if name.endswith("/METADATA"))
    needs = zipfile.ZipFile(runtime_wheel).read(metadata).decode()
    for line in ("Provides-Extra: broker", "Provides-Extra: pydantic", "Requires-Dist: orjson>=3.11,<4"):
        assert f"{line}\n" in needs


SERVICE = """
import babelreg_runtime
from babelqueue import BabelQueue
from importlib.metadata import version
from messages import Consumer, Context, Money, OrdersCreatedV2, OrdersCreatedV2Producer

assert babelreg_runtime.__file__.startswith(r'{site}'), babelreg_runtime.__file__
assert version("babelreg-runtime") == version("babelreg") == babelreg_runtime.__version__
app = BabelQueue("memory://", queue="orders")
consumer = Consumer(app)

@consumer.on(OrdersCreatedV2)
def handle(order: OrdersCreatedV2, context: Context) -> None:
    print(order.order_id, order.total.minor, context.attempts)

OrdersCreatedV2Producer(app).send(OrdersCreatedV2(order_id=1042, total=Money(minor=9990, currency="EUR")))
print(consumer.run(max_messages=1))
"""


def test_both_wheels_in_an_empty_environment_generate_send_and_consume(wheels, tmp_path):
    venv.create(tmp_path / "env", with_pip=False)
    python = tmp_path / "env" / "bin" / "python"
    site = next((tmp_path / "env" / "lib").glob("python*")) / "site-packages"
    install = ["-m", "pip", "--python", str(python), "install", "--quiet", "--no-deps", "--no-index", "--no-compile"]
    subprocess.run([sys.executable, *install, *map(str, wheels.glob("*.whl"))], check=True)
    here = next(path for path in sys.path if path.endswith("site-packages"))
    links = _dependencies_only(Path(here), tmp_path / "dependencies")
    (site / "dependencies.pth").write_text("\n".join(links) + "\n", "utf-8")
    registry = str(site / "babelreg" / "registry.example")
    command = ["-m", "babelreg", "gen", "python", "--runtime", "package", "--registry", registry, "--out", "."]
    generated = subprocess.run([str(python), "-I", *command], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert generated.returncode == 0, generated.stderr
    (tmp_path / "service.py").write_text(SERVICE.format(site=site))
    env = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    done = subprocess.run(
        [str(python), "service.py"], capture_output=True, text=True, cwd=tmp_path, env=env, check=False
    )
    assert (done.returncode, done.stdout) == (0, "1042 9990 0\n1\n"), done.stderr


def _dependencies_only(site: Path, folder: Path) -> list[str]:
    """A folder of links to everything installed here but babelreg and its editable hook."""
    folder.mkdir()
    for entry in site.iterdir():
        if "babelreg" not in entry.name and entry.suffix != ".pth":
            (folder / entry.name).symlink_to(entry)
    return [str(folder)]


def test_a_checkout_finds_its_templates():
    look = LOOK.format(site=ROOT)
    done = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr
