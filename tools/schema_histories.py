"""Write the histories of public event schemas as JSON lines, for ``benchmarks/finding_repeats.py``.

    python tools/schema_histories.py histories.jsonl [--clones FOLDER] [--packages FOLDER]

A line is one schema file: ``source``, ``licence``, ``path`` and ``versions``, the oldest first, each with ``revision``
and ``schema``. A version is what a commit made of the file; where a project keeps each version in a file of its own,
the files in the order of their versions. Files of the same repository that a schema refers to are in its ``$defs``, as
that commit had them; what cannot be found takes every value. FOLDER has bare clones named ``OWNER+NAME``; without it
they are cloned from GitHub into a temporary folder. Packages of npm and PyPI are fetched with their clients, ``npm``
and ``pip``, into the folder of ``--packages``; those that are in it are not fetched again. A version of a schema is
then what a release ships. Nothing that is read is run or installed.
"""

from __future__ import annotations

import argparse
import json
import posixpath
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TextIO

import yaml

MOST_VERSIONS = 12
"""Versions of one file: the latest."""
MOST_FILES = 40
MOST_BYTES = 60_000
DRAFT_7 = "http://json-schema.org/draft-07/schema#"
_MODERN = ("https://json-schema.org/draft/2020-12/schema", "https://json-schema.org/draft/2019-09/schema")


class History(NamedTuple):
    """A repository on GitHub, its licence, and the files that are schemas.

    ``versioned`` has the groups ``name`` and ``version`` where a version is a file, and is empty where it is a commit.
    """

    repository: str
    licence: str
    files: str
    versioned: str = ""


HISTORIES = (
    History("OpenLineage/OpenLineage", "Apache-2.0", r"spec/(OpenLineage|facets/\w+)\.json"),
    History(
        "MobilityData/gbfs-json-schema",
        "Apache-2.0",
        r"v[\d.]+/\w+\.json",
        r"v(?P<version>[\d.]+)/(?P<name>\w+)\.json",
    ),
    History("cdevents/spec", "Apache-2.0", r"schemas/\w+\.json"),
    History("getsentry/sentry-kafka-schemas", "FSL-1.1-Apache-2.0", r"schemas/[\w.-]+\.schema\.json"),
    History("wikimedia/mediawiki-event-schemas", "Apache-2.0", r"jsonschema/[\w/.-]+/[\d.]+\.yaml"),
    History("HumanCellAtlas/metadata-schema", "Apache-2.0", r"json_schema/type/[\w/]+\.json"),
    History("octokit/webhooks", "MIT", r"payload-schemas/[\w/.-]+\.schema\.json"),
    History(
        "eiffel-community/eiffel",
        "Apache-2.0",
        r"schemas/\w+/[\d.]+\.json",
        r"schemas/(?P<name>\w+)/(?P<version>[\d.]+)\.json",
    ),
    History(
        "snowplow/iglu-central",
        "Apache-2.0",
        r"schemas/[\w.-]+/\w+/jsonschema/[\d-]+",
        r"schemas/(?P<name>[\w.-]+/\w+)/jsonschema/(?P<version>[\d-]+)",
    ),
    History("mozilla-services/mozilla-pipeline-schemas", "MPL-2.0", r"schemas/[\w/.-]+\.schema\.json"),
    History("department-of-veterans-affairs/vets-json-schema", "CC0-1.0", r"dist/[\w-]+-schema\.json"),
)


class Package(NamedTuple):
    """A package of ``npm`` or ``pypi`` whose releases ship schemas; ``releases`` matches the versions to compare.

    ``files`` matches paths in the archive. ``versioned`` is that of History.
    """

    registry: str
    name: str
    licence: str
    files: str
    releases: str
    versioned: str = ""


PACKAGES = (
    Package("pypi", "event-model", "BSD-3-Clause", r"event_model/schemas/\w+\.json", r"1\.\d+(\.0)?"),
    Package("npm", "@schematics/angular", "MIT", r"package/[\w-]+/schema\.json", r"\d+\.0\.0"),
    Package("npm", "resume-schema", "MIT", r"package/schema\.json", r"\d+\.\d+\.\d+"),
    Package(
        "pypi",
        "nbformat",
        "BSD-3-Clause",
        r"nbformat/v4/nbformat\.v4(\.\d+)?\.schema\.json",
        r"5\.10\.\d+",
        r"nbformat/v4/(?P<name>nbformat)\.v(?P<version>4\.\d+)\.schema\.json",
    ),
)


class Clone:
    """A bare clone of one repository."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._schemas: dict[str, Any] = {}
        self._files: dict[str, dict[str, str]] = {}

    def git(self, *arguments: str) -> str:
        """Return the output of git."""
        command = ["git", f"--git-dir={self.folder}", *arguments]
        return subprocess.run(command, check=True, capture_output=True).stdout.decode("utf-8", "replace")

    def files(self, commit: str, pattern: str) -> dict[str, str]:
        """Return the blobs of the files of ``commit`` that match ``pattern``, by path."""
        if commit not in self._files:
            rows = (line.partition("\t") for line in self.git("ls-tree", "-r", commit).splitlines())
            self._files = {commit: {path: about.split()[2] for about, _, path in rows}}  # one commit at a time
        return {path: blob for path, blob in self._files[commit].items() if re.fullmatch(pattern, path)}

    def schema(self, blob: str) -> Any:
        """Return the schema in ``blob``; None where it is not one."""
        if blob not in self._schemas:
            self._schemas[blob] = _parsed(self.git("cat-file", "blob", blob))
        return self._schemas[blob]

    def commits(self, path: str) -> list[str]:
        """Return the commits that wrote ``path``, the oldest first."""
        return self.git("log", "--first-parent", "--format=%H", "--diff-filter=AM", "--", path).split()[::-1]


def _parsed(text: str) -> Any:
    try:
        return json.loads(text) if text.lstrip()[:1] == "{" else yaml.safe_load(text)
    except (ValueError, yaml.YAMLError):
        return None


class Schemas(Protocol):
    """Schemas by the name of a blob."""

    def schema(self, blob: str) -> Any:
        """Return the schema in ``blob``; None where it is not one."""
        ...


class Release:
    """The schemas of one release of a package, whose blobs are named by their paths."""

    def __init__(self, archive: Path, pattern: str) -> None:
        texts = _members(archive)
        self._texts = {path: text for path, text in texts if re.fullmatch(pattern, path)}

    @property
    def files(self) -> dict[str, str]:
        """The blob of each file."""
        return {path: path for path in self._texts}

    def schema(self, blob: str) -> Any:
        """Return the schema in ``blob``; None where it is not one."""
        return _parsed(self._texts[blob])


def _members(archive: Path) -> Iterator[tuple[str, str]]:
    """Yield the JSON files in a wheel, a source archive or a tarball of npm."""
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            for name in wheel.namelist():
                if name.endswith(".json"):
                    yield name, wheel.read(name).decode("utf-8", "replace")
        return
    with tarfile.open(archive) as tar:
        for member in tar:
            file = tar.extractfile(member) if member.name.endswith(".json") else None
            if file is not None:
                yield re.sub(r"^(?!package/)[^/]+/", "", member.name), file.read().decode("utf-8", "replace")


class Bundle:
    """One schema with the files it refers to in its ``$defs``."""

    def __init__(self, clone: Schemas, files: Mapping[str, str]) -> None:
        self._clone = clone
        self._files = files
        self._by_name = {posixpath.basename(path).split(".")[0]: path for path in sorted(files)}
        self._definitions: dict[str, Any] = {}
        self._root = ""

    def of(self, path: str) -> Any:
        """Return the schema of ``path``; None where it is not a mapping."""
        schema = self._clone.schema(self._files[path])
        if not isinstance(schema, dict):
            return None
        self._root = path
        dialect = str(schema.get("$schema", DRAFT_7))
        modern = next((modern for modern in _MODERN if modern.removeprefix("https://") in dialect), DRAFT_7)
        bundled = {"$schema": modern, **self._local(schema, path, "#")}
        if self._definitions:
            bundled["$defs"] = {**bundled.get("$defs", {}), **self._definitions}
        return bundled

    def _local(self, schema: Any, path: str, base: str, *, names: bool = False) -> Any:
        """Return ``schema`` with its references led into the bundle; ``base`` is where its file is in it."""
        if isinstance(schema, list):
            return [self._local(item, path, base) for item in schema]
        if not isinstance(schema, dict):
            return schema
        local = {}
        for key, value in schema.items():
            if not names and isinstance(value, str) and key in ("$schema", "$id", "id", "$anchor"):
                continue
            if not names and key == "$ref" and isinstance(value, str):
                local.update(self._reference(value, path, base))
            elif not names and key in ("default", "example", "examples", "enum", "const"):
                local[key] = value
            else:
                inner = key in ("properties", "patternProperties", "definitions", "$defs") and not names
                local["$defs" if inner and key == "definitions" else key] = self._local(value, path, base, names=inner)
        return _raised(local) if not names else local

    def _reference(self, reference: str, path: str, base: str) -> dict[str, Any]:
        address, _, pointer = reference.partition("#")
        if not address:
            return {"$ref": f"{base}{_moved(pointer)}"}
        target = self._found(address, path)
        if target is None or (pointer and not pointer.startswith("/")):
            return {}
        if target == self._root:
            return {"$ref": f"#{_moved(pointer)}"}
        name = re.sub(r"\W", "_", posixpath.basename(target).removesuffix(".json"))
        if name not in self._definitions:
            self._definitions[name] = True
            self._definitions[name] = self._local(self._clone.schema(self._files[target]), target, f"#/$defs/{name}")
        return {"$ref": f"#/$defs/{name}{_moved(pointer)}"}

    def _found(self, address: str, path: str) -> str | None:
        beside = posixpath.normpath(posixpath.join(posixpath.dirname(path), address))
        if beside in self._files:
            return beside
        return self._by_name.get(posixpath.basename(address).split(".")[0])


def _moved(pointer: str) -> str:
    return re.sub(r"(^|/)definitions/", r"\1$defs/", pointer)


def _raised(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema of draft 4 in the words of draft 7."""
    for end in ("minimum", "maximum"):
        exclusive = f"exclusive{end.capitalize()}"
        if isinstance(schema.get(exclusive), bool) and schema.pop(exclusive) and end in schema:
            schema[exclusive] = schema.pop(end)
    if isinstance(schema.get("required"), bool):
        del schema["required"]
    return schema


def histories(clone: Clone, history: History) -> Iterator[tuple[str, list[tuple[str, Any]]]]:
    """Yield each file with its versions, the oldest first."""
    latest = clone.files("HEAD", history.files)
    if history.versioned:
        yield from _versioned(clone, latest, history.versioned)
        return
    by_path = {path: clone.commits(path) for path in latest}
    for path in sorted(by_path, key=lambda path: (-len(by_path[path]), path))[:MOST_FILES]:
        versions = []
        for commit in by_path[path][-MOST_VERSIONS:]:
            files = clone.files(commit, history.files)
            if path in files:
                versions.append((commit[:8], Bundle(clone, files).of(path)))
        yield path, versions


def _versioned(schemas: Schemas, files: Mapping[str, str], pattern: str) -> Iterator[tuple[str, list[tuple[str, Any]]]]:
    """Yield each name of ``pattern`` with the files that are its versions."""
    by_name: dict[str, list[tuple[list[int], str]]] = {}
    for path in files:
        match = re.fullmatch(pattern, path)
        if match:
            by_name.setdefault(match["name"], []).append((_numbers(match["version"]), path))
    for name, paths in sorted(by_name.items()):
        yield name, [(path, Bundle(schemas, files).of(path)) for _, path in sorted(paths)]


def _numbers(version: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", version)]


def releases(package: Package, folder: Path) -> Iterator[tuple[str, Release]]:
    """Yield the releases of ``package`` to compare with their versions, the oldest first; fetch what is missing."""
    versions = [version for version in _published(package) if re.fullmatch(package.releases, version)]
    for version in sorted(versions, key=_numbers):
        inside = folder / package.name.replace("/", "+") / version
        if not any(inside.glob("*")):
            inside.mkdir(parents=True, exist_ok=True)
            _fetch(package, version, inside)
        archive = next(inside.glob("*"), None)
        if archive is not None:
            yield version, Release(archive, package.files)


def _published(package: Package) -> list[str]:
    if package.registry == "npm":
        versions = json.loads(_output("npm", "view", package.name, "versions", "--json"))
        return [versions] if isinstance(versions, str) else list(versions)
    listed = _output(sys.executable, "-m", "pip", "index", "versions", package.name)
    line = next(line for line in listed.splitlines() if line.startswith("Available versions:"))
    return [version.strip() for version in line.partition(":")[2].split(",")]


def _fetch(package: Package, version: str, folder: Path) -> None:
    """Fetch one release without what it depends on; nothing where only a source archive has it."""
    if package.registry == "npm":
        _output("npm", "pack", "--silent", "--pack-destination", str(folder), f"{package.name}@{version}")
        return
    wheel = ["--no-deps", "--only-binary", ":all:", "--ignore-requires-python", "-d", str(folder)]
    command = [sys.executable, "-m", "pip", "download", "-q", *wheel, f"{package.name}=={version}"]
    subprocess.run(command, capture_output=True)  # a source archive could run code of the package


def _output(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True).stdout.decode("utf-8", "replace")


def of_package(package: Package, folder: Path) -> Iterator[tuple[str, list[tuple[str, Any]]]]:
    """Yield each file of ``package`` with its versions, the oldest first."""
    versions: dict[str, list[tuple[str, Any]]] = {}
    for version, release in releases(package, folder):
        if package.versioned:  # the newest release has them all
            versions = dict(_versioned(release, release.files, package.versioned))
            continue
        for path in release.files:
            schema = Bundle(release, release.files).of(path)
            rows = versions.setdefault(path, [])
            if not rows or rows[-1][1] != schema:
                rows.append((version, schema))
    yield from versions.items()


def write(target: Path, clones: Path, packages: Path) -> None:
    """Write the histories to ``target``; clone the repositories and fetch the packages that the folders lack."""
    with target.open("w", encoding="utf-8") as file:
        for history in HISTORIES:
            folder = clones / history.repository.replace("/", "+")
            if not folder.exists():
                address = f"https://github.com/{history.repository}"
                subprocess.run(["git", "clone", "--quiet", "--bare", address, str(folder)], check=True)
            _write(file, history.repository, history.licence, histories(Clone(folder), history))
        for package in PACKAGES:
            _write(file, f"{package.registry}:{package.name}", package.licence, of_package(package, packages))


def _write(file: TextIO, source: str, licence: str, schemas: Iterable[tuple[str, list[tuple[str, Any]]]]) -> None:
    number = 0
    for path, versions in schemas:
        usable = [(revision, schema) for revision, schema in versions if _usable(schema)][-MOST_VERSIONS:]
        if len(usable) > 1:
            number += len(usable) - 1
            rows = [{"revision": revision, "schema": schema} for revision, schema in usable]
            line = {"source": source, "licence": licence, "path": path, "versions": rows}
            file.write(json.dumps(line) + "\n")
    print(f"{source}: {number} revisions", file=sys.stderr)


def _usable(schema: Any) -> bool:
    return isinstance(schema, dict) and len(json.dumps(schema)) <= MOST_BYTES


def main() -> None:
    """Write the histories; see the module."""
    parser = argparse.ArgumentParser()
    parser.add_argument("target", type=Path)
    parser.add_argument("--clones", type=Path)
    parser.add_argument("--packages", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        write(given.target, given.clones or Path(temporary), given.packages or Path(temporary))


if __name__ == "__main__":
    main()
