"""What is in an archive for a cluster, and on which Python it runs."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import tarfile
from importlib.metadata import distribution
from pathlib import Path

import pytest

from babelreg.errors import InputError, UsageError
from babelreg.load.registry import json_bundle
from babelreg.spark import registry_in, registry_of
from babelreg.spark.deploy import pack, packed_runtime

REGISTRY = '{"a registry": 1}'


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> pack.Packed:
    return pack.write(tmp_path_factory.mktemp("archive") / "babelreg.tar.gz", REGISTRY)


@pytest.fixture(scope="module")
def unpacked(packed: pack.Packed) -> Path:
    folder = packed.path.parent / "babelreg"
    with tarfile.open(packed.path) as tar:
        tar.extractall(folder, filter="data")
    return folder


def test_the_same_packages_give_the_same_bytes(packed: pack.Packed, tmp_path: Path) -> None:
    again = pack.write(tmp_path / "other.tgz", REGISTRY)
    assert again.path.read_bytes() == packed.path.read_bytes()
    assert again.size == packed.path.stat().st_size


def test_it_holds_what_a_worker_needs_and_says_so(packed: pack.Packed, unpacked: Path) -> None:
    assert set(packed.packages) == {"babelreg", "jsonschema_rs", "orjson"}
    assert {path.name for path in unpacked.iterdir() if not path.name.endswith(".dist-info")} == {
        "babelreg",
        "jsonschema_rs",
        "orjson",
        "registry.json",
    }
    assert (unpacked / "registry.json").read_text() == REGISTRY
    card = json.loads((unpacked / "babelreg" / packed_runtime.CARD).read_bytes())
    assert card == {"python": packed.python, "system": packed.system, "packages": packed.packages}


def test_nothing_in_it_tells_of_this_machine(packed: pack.Packed) -> None:
    here = str(Path(pack.__file__).parents[2]).encode()
    with tarfile.open(packed.path) as tar:
        for member in tar:
            assert (member.uid, member.gid, member.uname, member.mtime, member.mode) == (0, 0, "", 0, 0o644)
            assert "__pycache__" not in member.name
            assert not member.name.startswith(("/", ".."))
            body = tar.extractfile(member)
            assert body is not None
            assert member.name.endswith(".so") or here not in body.read(), member.name


def test_licences_go_with_the_packages(unpacked: Path) -> None:
    orjson = {path.name for path in unpacked.glob("orjson-*.dist-info/licenses/*")}
    assert {"LICENSE-APACHE", "LICENSE-MIT"} <= orjson
    assert list(unpacked.glob("babelreg-*.dist-info/licenses/LICENSE"))


def test_a_message_is_judged_with_nothing_but_the_archive_and_arrow(unpacked: Path) -> None:
    script = f"""
import sys
sys.path.insert(0, {str(unpacked)!r})
class Arrow:  # pyarrow and what it asks for are on every worker with Arrow; nothing else is let in
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("yaml", "click", "jsonschema", "jinja2", "pyspark", "pydantic", "rfc3339_validator"):
            raise ImportError("not on a worker: " + name)
sys.meta_path.insert(0, Arrow())
sys.path.append({str(Path(str(distribution("pyarrow").locate_file(""))).resolve())!r})
import babelreg, orjson, jsonschema_rs
from babelreg.spark import ingest, redrive, compact, watch, files
from babelreg.lake.tasks.validation_spec import ValidationSpec
validator = ValidationSpec.of({{"urn:babel:a:b": {{"type": "object", "required": ["x"]}}}}).row_validator()
print(babelreg.__file__, orjson.__file__, jsonschema_rs.__file__, validator.validate(b"{{}}").reason)
"""
    done = subprocess.run([sys.executable, "-I", "-S", "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    *files, reason = done.stdout.split()
    assert [Path(file).is_relative_to(unpacked) for file in files] == [True] * 3
    assert reason


@pytest.mark.parametrize(
    "changed",
    [
        pytest.param({"python": "3.9"}, id="another Python"),
        pytest.param({"system": "cpython-311-aarch64-linux-gnu"}, id="another processor"),
        pytest.param(
            {"system": packed_runtime.runs_on()["system"].replace("gnu", "musl") + "-"}, id="another C library"
        ),
    ],
)
def test_an_archive_for_another_python_is_refused_with_both_named(changed: dict[str, str], tmp_path: Path) -> None:
    here = packed_runtime.runs_on()
    card = {**here, **changed}
    (tmp_path / packed_runtime.CARD).write_text(json.dumps(card))
    with pytest.raises(UsageError) as refused:
        packed_runtime.check(tmp_path)
    for one in (here, card):
        assert f"Python {one['python']} ({one['system']})" in str(refused.value)
    assert "babelreg spark pack" in (refused.value.fix or "")


def test_an_archive_for_this_python_is_not_refused(unpacked: Path, tmp_path: Path) -> None:
    packed_runtime.check(unpacked / "babelreg")
    packed_runtime.check(tmp_path)  # not of an archive


def test_an_archive_without_a_registry_is_refused_with_a_way_out(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"registry\.json") as refused:
        registry_of(tmp_path)
    assert "babelreg spark pack" in (refused.value.fix or "")


@pytest.mark.parametrize("name", ["babelreg", "babelreg.zip", "babelreg.tar", "babelreg.gz"])
def test_a_name_that_spark_would_not_unpack_is_refused_with_one_that_it_does(name: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError) as refused:
        pack.write(tmp_path / name, REGISTRY)
    assert refused.value.fix == "--out babelreg.tar.gz"
    assert not list(tmp_path.iterdir())


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot be written"):
        pack.write(tmp_path / "file" / "babelreg.tar.gz", REGISTRY)


class _Kept:
    """A distribution that keeps these files."""

    version, requires = "1.0", ["absent-package; python_version < '3'", "other; extra == 'x'"]

    def __init__(self, folder: Path, files: list[str] | None) -> None:
        self.name, self.files, self._folder = "orjson", files, folder

    def locate_file(self, name: str) -> Path:
        return self._folder / name


@pytest.mark.parametrize(
    "files, said",
    [
        pytest.param(None, "has no list of its files", id="no list"),
        pytest.param(["../../bin/orjson", "orjson-1.0.dist-info/METADATA"], "has no list", id="a list of nothing"),
        pytest.param(["orjson/__init__.py"], "is missing", id="a file that is gone"),
    ],
)
def test_a_package_whose_files_are_not_known_is_refused(
    files: list[str] | None, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pack, "distribution", lambda name: _Kept(tmp_path, files))
    with pytest.raises(UsageError, match=said) as refused:
        pack.write(tmp_path / "a.tar.gz", REGISTRY)
    assert "pip install --force-reinstall orjson" in str(refused.value)


def test_a_package_that_is_not_installed_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pack, "NEEDED", ("no-such-package-here",))
    with pytest.raises(UsageError, match="no-such-package-here is not installed"):
        pack.write(tmp_path / "a.tar.gz", REGISTRY)


def test_with_arrow_comes_all_that_it_requires_and_no_tests() -> None:
    found = {one.name.lower(): one for one in pack._distributions(pack.ARROW)}
    assert {"pyarrow", "pandas", "numpy", "python-dateutil", "pytz"} <= set(found)
    names = [name for one in found.values() for name, _ in pack._files(one)]
    assert not [name for name in names if name.startswith(("pandas/tests/", "pyarrow/tests/", "pyarrow/include/"))]
    assert "pandas/__init__.py" in names


def test_the_order_of_files_does_not_matter() -> None:
    members = {"b": b"2", "a": b"1"}
    whole = pack._tar(members)
    assert whole == pack._tar(dict(reversed(members.items())))
    with tarfile.open(fileobj=io.BytesIO(whole)) as tar:
        assert tar.getnames() == ["a", "b"]


def test_a_registry_is_read_as_it_is_written_or_as_it_was_packed(tmp_path: Path) -> None:
    written = tmp_path / "written"
    (written / "orders").mkdir(parents=True)
    (written / "babelreg.yaml").write_text("version: 1\n")
    (written / "orders" / "_context.yaml").write_text("owner: team\n")
    document = {"urn": "urn:babel:orders:created", "kind": "event", "data": {"type": "object"}}
    (written / "orders" / "created.yaml").write_text(json.dumps(document))
    (tmp_path / "registry.json").write_text(json_bundle.pack(registry_in(written)))
    assert registry_in(tmp_path).schemas == registry_in(written).schemas == {document["urn"]: document["data"]}
