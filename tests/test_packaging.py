"""What is installed finds its templates, schemas and example: from a wheel and from an editable checkout alike."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

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
    folder = tmp_path_factory.mktemp("wheels")
    built = subprocess.run(
        [sys.executable, str(ROOT / "tools" / "wheels.py"), "--out", str(folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stderr
    return folder


@pytest.fixture(scope="module")
def wheel(wheels) -> Path:
    (made,) = wheels.glob("babelreg-*.whl")
    return made


@pytest.fixture(scope="module")
def runtime_wheel(wheels) -> Path:
    (made,) = wheels.glob("babelreg_runtime-*.whl")
    return made


def test_the_wheel_holds_what_the_package_needs(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    for part in (
        "templates/python/",
        "templates/spark/",
        "templates/docs/",
        "templates/spark_report/style.css",
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
    for line in ("Provides-Extra: broker", "Provides-Extra: pydantic", "Requires-Dist: orjson<4,>=3.11"):
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
    install = ["-m", "pip", "--python", str(python), "install", "--quiet", "--no-deps", "--no-index"]
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
