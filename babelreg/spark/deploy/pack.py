"""An archive of babelreg and the packages its workers need, for ``spark.archives``.

::

    babelreg/...                the package that runs, with packed.json: what the archive was made for
    orjson/ jsonschema_rs/      what checks a message, with licences; with ``arrow`` also pyarrow, pandas, numpy ...
    registry.json               the registry (see ``load.registry.json_bundle``)

Everything is taken from what is installed, by the file lists of the distributions; nothing is fetched. The same
packages give the same bytes.
"""

from __future__ import annotations

import gzip
import io
import json
import re
import shlex
import tarfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path, PurePosixPath

from babelreg import __version__
from babelreg.atomic_write import write_whole
from babelreg.errors import UsageError
from babelreg.spark.deploy.packed_runtime import CARD, REGISTRY, runs_on

NAME = "babelreg"
"""The folder that an archive is unpacked to: the name after ``#`` in ``spark.archives``."""

NEEDED = ("jsonschema-rs", "orjson")
"""Packages that a worker needs besides Spark's own Python, pyarrow and babelreg."""

ARROW = ("pyarrow", "pandas")
"""Packages that Spark's Python needs for Arrow. Most clusters have them; 90 MB, so only on demand."""

_ENDINGS = (".tar.gz", ".tgz")
"""Endings of archives that Spark unpacks without changing file contents."""

_LEFT_OUT = re.compile(
    r"(?:.*/)?__pycache__/|\.\.|.*\.pyc$|/|(?:pyarrow|pandas)/tests/|pyarrow/(?:include|src)/"
    r"|[^/]*\.dist-info/(?:RECORD|INSTALLER|REQUESTED|direct_url\.json|sboms/)"
)
"""Files of a distribution that are not packed: scripts, tests, headers, and records of its installation."""

_NOT_OURS = re.compile(r"templates/|registry\.example/|packed\.json\Z")
"""In the package folder, and of no use on a worker."""

_REQUIRED = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


@dataclass(frozen=True, slots=True)
class Packed:
    """Description of a written archive: ``size`` in bytes, ``packages`` by name with their versions."""

    path: Path
    size: int
    packages: Mapping[str, str]
    python: str
    system: str


def write(path: Path, registry: str, *, arrow: bool = False, dry_run: bool = False) -> Packed:
    """Write the archive to ``path``. ``registry`` is what ``json_bundle.pack`` returns; ``arrow`` adds pyarrow, pandas.

    With ``dry_run`` the archive is made and not written.

    Raises UsageError for a name that Spark would not unpack, a package that is not installed or keeps no list of its
    files, and a file that cannot be written.
    """
    if not path.name.endswith(_ENDINGS):
        raise UsageError(
            f"Spark would not unpack an archive named '{path.name}'",
            fix=f"--out {shlex.quote(path.name.split('.')[0] + '.tar.gz')}",
        )
    if not dry_run:
        _folder(path)
    distributions = {dist.name: dist for dist in _distributions((*NEEDED, *(ARROW if arrow else ())))}
    versions = {NAME: __version__, **{name: dist.version for name, dist in sorted(distributions.items())}}
    platform = runs_on()
    members: dict[str, bytes | Path] = {
        **dict(_package_files()),
        **{name: body for dist in distributions.values() for name, body in _files(dist)},
        f"{NAME}/{CARD}": json.dumps({**platform, "packages": versions}, indent=1).encode() + b"\n",
        REGISTRY: registry.encode(),
    }
    body = _tar(members)
    try:
        if not dry_run:
            write_whole(path, body)
    except OSError as err:
        raise _unwritable(path, err) from err
    return Packed(path, len(body), versions, platform["python"], platform["system"])


def _folder(path: Path) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as err:
        raise _unwritable(path, err) from err


def _unwritable(path: Path, err: OSError) -> UsageError:
    return UsageError(f"{path} cannot be written: {err.strerror}", fix="choose another file with --out")


def _tar(members: Mapping[str, bytes | Path]) -> bytes:
    """Return the files in order without owners and times, so that equal files give equal bytes."""
    stream = io.BytesIO()
    with (
        gzip.GzipFile(filename="", fileobj=stream, mode="wb", mtime=0, compresslevel=6) as packed,
        tarfile.open(fileobj=packed, mode="w|", format=tarfile.PAX_FORMAT) as tar,
    ):
        for name, content in sorted(members.items()):
            body = content if isinstance(content, bytes) else content.read_bytes()
            member = tarfile.TarInfo(name)
            member.size, member.mode = len(body), 0o644
            tar.addfile(member, io.BytesIO(body))
    return stream.getvalue()


def _package_files() -> Iterator[tuple[str, Path]]:
    """Yield the files of the running package, which an editable installation does not list."""
    package = Path(__file__).parents[2]
    for path in package.rglob("*"):
        inside = path.relative_to(package).as_posix()
        if path.is_file() and not _NOT_OURS.match(inside) and not _LEFT_OUT.match(inside):
            yield f"{NAME}/{inside}", path
    with suppress(PackageNotFoundError):  # run from a checkout
        yield from (member for member in _files(distribution(NAME)) if ".dist-info/" in member[0])


def _distributions(names: Iterable[str]) -> Iterator[Distribution]:
    """Yield the distributions of these names, and all that they require here."""
    seen: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if _plain(name) in seen:
            continue
        seen.add(_plain(name))
        try:
            dist = distribution(name)
        except PackageNotFoundError as err:
            raise UsageError(f"{name} is not installed", fix="pip install 'babelreg[spark]'") from err
        yield dist
        waiting += [needed for line in dist.requires or () if (needed := _required(line))]


def _required(line: str) -> str | None:
    """Return the name that a requirement names: None for what only an extra or another Python asks for."""
    name = _REQUIRED.match(line)
    _, _, condition = line.partition(";")
    if name is None or "extra" in condition:
        return None
    try:
        distribution(name[0])
    except PackageNotFoundError:
        if condition:
            return None
    return name[0]


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _files(dist: Distribution) -> Iterator[tuple[str, Path]]:
    listed = [str(PurePosixPath(file)) for file in dist.files or ()]
    names = [name for name in listed if not _LEFT_OUT.match(name)]
    if not any(".dist-info/" not in name for name in names):
        raise UsageError(
            f"{dist.name} {dist.version} has no list of its files", fix=f"pip install --force-reinstall {dist.name}"
        )
    for name in names:
        path = Path(str(dist.locate_file(name)))
        if not path.is_file():
            raise UsageError(f"{path} of {dist.name} is missing", fix=f"pip install --force-reinstall {dist.name}")
        yield name, path
