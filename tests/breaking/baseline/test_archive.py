"""A registry in an archive: found wherever it lies, read without unpacking, and never trusted."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from babelreg.breaking.baseline import against as baseline
from babelreg.breaking.baseline import archive
from babelreg.errors import UsageError

MESSAGE = "urn: urn:babel:orders:created\nkind: event\ndata: {type: object, title: packed}\n"
FILES = {"babelreg.yaml": "version: 1\n", "orders/_context.yaml": "owner: o\n", "orders/created.yaml": MESSAGE}
MODES = {".tar": "w", ".tar.gz": "w:gz", ".tgz": "w:gz", ".tar.xz": "w:xz", ".txz": "w:xz", ".tar.bz2": "w:bz2"}


def packed(folder: Path, suffix: str, files: dict[str, str], below: str = "") -> Path:
    """An archive of ``files`` below the folder ``below``."""
    path = folder / f"published{suffix}"
    if suffix == ".zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
            for name, text in files.items():
                made.writestr(below + name, text)
        return path
    with tarfile.open(path, MODES[suffix]) as made:
        for name, text in files.items():
            add(made, below + name, text.encode())
    return path


def add(made: tarfile.TarFile, name: str, body: bytes = b"", **more: Any) -> None:
    info = tarfile.TarInfo(name)
    info.size = len(body)
    for key, value in more.items():
        setattr(info, key, value)
    made.addfile(info, io.BytesIO(body))


def titles(against: Path | str) -> list[str]:
    found = baseline.of(Path("nowhere"), str(against))
    return [message.data["title"] for message in found.registry.messages]


@pytest.mark.parametrize("suffix", [*MODES, ".zip", ".ZIP"])
@pytest.mark.parametrize("below", ["", "./", "release-1.4/", "release-1.4/messages/registry/"])
def test_the_registry_is_found(tmp_path: Path, suffix: str, below: str) -> None:
    path = packed(tmp_path, suffix.lower(), FILES, below)
    assert titles(path.rename(path.with_suffix(".ZIP")) if suffix == ".ZIP" else path) == ["packed"]


@pytest.mark.parametrize(
    "options, expected",
    [
        pytest.param("subdir=top/new", "new", id="a folder of it"),
        pytest.param("strip_components=1,subdir=old", "old", id="a folder below the one that is taken off"),
        pytest.param("subdir=top/other", None, id="a folder that is none"),
        pytest.param("subdir=../../etc", None, id="a folder outside"),
        pytest.param("branch=main", None, id="an option of git"),
        pytest.param("strip_components=x", None, id="a number that is none"),
        pytest.param("", None, id="two registries, and none is named"),
    ],
)
def test_one_of_two_registries_is_named(tmp_path: Path, options: str, expected: str | None) -> None:
    files = {}
    for name in ("old", "new"):
        files |= {f"{name}/{path}": text.replace("packed", name) for path, text in FILES.items()}
    path = packed(tmp_path, ".tar.gz", files, "top/")
    against = f"{path}#{options}" if options else str(path)
    if expected is not None:
        assert titles(against) == [expected]
    else:
        with pytest.raises(UsageError) as raised:
            titles(against)
        assert raised.value.fix


def test_an_archive_has_one_version_and_says_so(tmp_path: Path) -> None:
    found = baseline.of(Path("nowhere"), str(packed(tmp_path, ".zip", FILES, "top/")))
    assert found.past is None
    assert "one version" in (found.note or "")
    assert found.name == f"the archive top in {tmp_path / 'published.zip'}"


def test_links_devices_and_names_that_climb_are_no_files(tmp_path: Path) -> None:
    path = tmp_path / "published.tar"
    with tarfile.open(path, "w") as made:
        for name, text in FILES.items():
            add(made, name, text.encode())
        add(made, "orders/link.yaml", type=tarfile.SYMTYPE, linkname="/etc/passwd")
        add(made, "orders/hard.yaml", type=tarfile.LNKTYPE, linkname="orders/created.yaml")
        add(made, "orders/pipe.yaml", type=tarfile.FIFOTYPE)
        for name in (
            "/orders/absolute.yaml",
            "orders/../../climbs.yaml",
            "orders\\windows.yaml",
            "c:/drive.yaml",
            ".hidden/a.yaml",
        ):
            add(made, name, MESSAGE.encode())
    tree, _ = archive.registry_in(path)
    assert list(tree.paths()) == sorted(FILES)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["published.tar"]


def test_a_link_in_a_zip_is_no_file(tmp_path: Path) -> None:
    path = packed(tmp_path, ".zip", FILES)
    with zipfile.ZipFile(path, "a") as made:
        link = zipfile.ZipInfo("orders/link.yaml")
        link.external_attr = 0o120777 << 16
        made.writestr(link, "/etc/passwd")
    assert list(archive.registry_in(path)[0].paths()) == sorted(FILES)


@pytest.mark.parametrize("suffix", [".tar.gz", ".tar.xz", ".tar.bz2", ".zip"])
def test_what_unpacks_to_gigabytes_is_refused(tmp_path: Path, suffix: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MAX_UNPACKED_BYTES", 4 << 20)
    path = packed(tmp_path, suffix, {**FILES, **{f"orders/{n}.yaml": "#" * (1 << 20) for n in range(8)}})
    assert path.stat().st_size < 1 << 17
    with pytest.raises(UsageError, match="unpacks to more than 4 MB"):
        archive.registry_in(path)


def test_more_files_than_a_registry_has_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MAX_FILES", 10)
    for suffix in (".tar", ".zip"):
        with pytest.raises(UsageError, match="lists more than 10 files"):
            archive.registry_in(packed(tmp_path, suffix, {**FILES, **{f"orders/{n}.yaml": "" for n in range(20)}}))


def test_a_packing_that_needs_gigabytes_to_be_undone_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "published.tar.xz"
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 0, "dict_size": 1 << 29}]
    small = lzma.compress(b"x" * 100, format=lzma.FORMAT_XZ, filters=filters, check=lzma.CHECK_NONE)
    path.write_bytes(small)
    with pytest.raises(UsageError, match="cannot be read as an archive"):
        archive.registry_in(path)


def test_a_file_too_large_is_a_defect_of_the_registry(tmp_path: Path) -> None:
    path = packed(tmp_path, ".tar.gz", {**FILES, "orders/large.yaml": "#" * (2 << 20)})
    found = baseline.of(Path("nowhere"), str(path))
    assert [defect.rule for defect in found.registry.defects] == ["file-too-large"]


@pytest.mark.parametrize("suffix", [*MODES, ".zip"])
@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"no archive at all", id="something else"),
        pytest.param(b"PK\x05\x06" + b"\xff" * 18, id="a list of files of four gigabytes"),
        pytest.param(b"\x1f\x8b\x08\0", id="a beginning"),
    ],
)
def test_what_is_no_archive_is_said(tmp_path: Path, suffix: str, body: bytes) -> None:
    path = tmp_path / f"broken{suffix}"
    path.write_bytes(body)
    with pytest.raises(UsageError) as raised:
        archive.registry_in(path)
    assert raised.value.fix


@settings(max_examples=120, deadline=None)
@given(suffix=st.sampled_from([*MODES, ".zip"]), data=st.data())
def test_a_damaged_archive_ends_in_an_error_or_in_files(
    tmp_path_factory: pytest.TempPathFactory, suffix: str, data: st.DataObject
) -> None:
    path = packed(tmp_path_factory.mktemp("damaged"), suffix, FILES, "top/")
    body = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        body[data.draw(st.integers(0, len(body) - 1))] = data.draw(st.integers(0, 255))
    path.write_bytes(bytes(body[: data.draw(st.integers(0, len(body)))] if data.draw(st.booleans()) else body))
    try:
        tree, _ = archive.registry_in(path)
    except UsageError as err:
        assert err.fix
    else:
        assert "babelreg.yaml" in tree.paths()


HUGE = 10**12


def header(name: str, size: int, kind: bytes = tarfile.REGTYPE) -> bytes:
    info = tarfile.TarInfo(name)
    info.type = kind
    info.size = size
    return info.tobuf(tarfile.GNU_FORMAT)


def with_pax(**records: str) -> bytes:
    info = tarfile.TarInfo("babelreg.yaml")
    info.pax_headers = records
    return info.tobuf(tarfile.PAX_FORMAT)


CLAIMS = {
    "a file": header("babelreg.yaml", HUGE),
    "a file behind another": header("a", 0) + header("babelreg.yaml", HUGE),
    "a little more than there is": header("babelreg.yaml", 1 << 22),
    "a pax record": with_pax(size=str(HUGE)),
    "a negative pax record": with_pax(size="-1024"),
    "a long name": header("././@LongLink", HUGE, tarfile.GNUTYPE_LONGNAME),
    "a pax header itself": header("x", HUGE, tarfile.XHDTYPE),
    "a global pax header": header("x", HUGE, tarfile.XGLTYPE),
    "a device": header("x", HUGE, b"Z"),
    "a sparse file": with_pax(**{"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.realsize": str(HUGE)}),
    "a negative size": header("babelreg.yaml", -HUGE),
}


@pytest.mark.parametrize("suffix", [".tar", ".tar.gz", ".tgz", ".tar.xz", ".tar.bz2"])
@pytest.mark.parametrize("claim", CLAIMS)
def test_a_size_is_checked_before_anything_is_skipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str, claim: str
) -> None:
    body = CLAIMS[claim] + b"version: 1\n".ljust(1024, b"\0")
    pack = {".tar": bytes, ".tar.xz": lzma.compress, ".tar.bz2": bz2.compress}.get(suffix, gzip.compress)
    path = tmp_path / f"published{suffix}"
    path.write_bytes(pack(body))
    reads = []
    read = archive._Bounded.read
    monkeypatch.setattr(archive._Bounded, "read", lambda self, size: (reads.append(size), read(self, size))[1])
    with pytest.raises(UsageError):
        titles(path)
    # A claim that a packed file could keep is looked for: 4 MB are 410 blocks of tarfile's stream.
    assert len(reads) < 500
    assert sum(reads) < 16 << 20
