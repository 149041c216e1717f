"""The files that ``babelreg init`` writes."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import Any

from babelreg.atomic_write import write_all
from babelreg.errors import UsageError
from babelreg.load.files.defect import Defect
from babelreg.load.files.registry_paths import SETTINGS
from babelreg.load.registry import file_validation
from babelreg.load.service.service_repo import NAME
from babelreg.load.yaml import edits, parser
from babelreg.suggest import closest

_MODELINE = "# yaml-language-server: $schema={up}_schemas/{name}.schema.json\n"

_FILES: dict[str, tuple[str, str]] = {
    "babelreg.yaml": ("settings", "version: 1\ncompatibility: {{reader: tolerant, direction: both}}\n"),
    "_services/{context}-api.yaml": (
        "service",
        "owner: {owner}\nlang: python\ndescription: The example producer of {context}:created.\n",
    ),
    "_services/{context}-worker.yaml": (
        "service",
        "owner: {owner}\nlang: python\ndescription: The example consumer of {context}:created.\n"
        "consumes:\n  - urn: urn:babel:{context}:created\n    reads: [id, total.minor]\n",
    ),
    "_common/money.yaml": (
        "",
        "# Amounts are whole minor units (cents): floats lose cents.\n"
        "type: object\ndescription: An amount of money in minor units.\nrequired: [minor, currency]\nproperties:\n"
        "  minor: {{type: integer, minimum: 0, maximum: 9007199254740991, description: Such as cents.}}\n"
        '  currency: {{type: string, pattern: "^[A-Z]{{3}}$", description: ISO 4217 code.}}\n',
    ),
    "{context}/_context.yaml": ("context", "owner: {owner}\ndescription: The messages of {context}.\n"),
    "{context}/created.yaml": (
        "message",
        "urn: urn:babel:{context}:created\n"
        "kind: event\nstatus: active\n"
        "description: Example message; sent once for each new entry of {context}, after it was stored.\n"
        "owner: {owner}\nqueue: {context}\nproducers: [{context}-api]\n"
        "data:\n  type: object\n  required: [id, total]\n  properties:\n"
        "    id: {{type: integer, minimum: 1, maximum: 9007199254740991, description: Number of the entry.}}\n"
        "    total: {{$ref: ../_common/money.yaml, description: Price with taxes.}}\n"
        '    created_at: {{type: string, format: date-time, description: "When the entry was stored, in UTC."}}\n'
        "examples:\n"
        '  - {{id: 1, total: {{minor: 9990, currency: EUR}}, created_at: "2026-11-20T09:30:00Z"}}\n'
        "counterexamples:\n  - {{because: no total, data: {{id: 1}}}}\n",
    ),
}


def registry_files(
    folder: Path, context: str, owner: str, *, empty: bool = False, wires: Mapping[str, Any] = MappingProxyType({})
) -> dict[Path, str]:
    """Return the files of the starter registry below ``folder``; for an ``empty`` one, the settings and JSON Schemas.

    The settings have the block ``wires`` if it has anything. Raises UsageError when a file is there already, or for an
    impossible context name.
    """
    if not re.fullmatch(r"[a-z0-9-]+", context):
        raise UsageError(f"'{context}' is not a context name: only a-z, 0-9 and '-'", fix="--context orders")
    names = {"context": context, "owner": edits.spell(owner)}
    texts = {}
    for pattern, (schema, body) in _FILES.items():
        if empty and pattern != SETTINGS:
            continue
        path = pattern.format(**names)
        head = _MODELINE.format(up="../" * path.count("/"), name=schema) if schema else ""
        texts[folder / path] = head + body.format(**names)
    if wires:
        texts[folder / SETTINGS] += f"wires: {edits.spell(dict(wires))}\n"
    taken = [path for path in texts if path.exists()]
    if taken:
        raise UsageError(f"{taken[0]} already exists; nothing was written", fix="babelreg init ANOTHER-FOLDER")
    return {**texts, **schema_files(folder)}


_SERVICE = """\
version: 1
service: {service}
registry: {registry}
gen:
  {target}: {{out: {out}}}
"""


def service_language(folder: Path, service: str, registry: str) -> str:
    """Return the ``lang`` of ``service``; ``python`` where ``registry``, a path from ``folder``, does not tell it."""
    try:
        text = Path(os.path.normpath(folder / registry), "_services", f"{service}.yaml").read_text("utf-8")
        known = parser.read(text)
    except (OSError, ValueError, Defect):
        known = None
    lang = known.get("lang") if isinstance(known, dict) else None
    return str(lang or "python")


def service_files(folder: Path, service: str, registry: str, chosen: str, out: str) -> dict[Path, str]:
    """Return the ``babelreg.service.yaml`` for ``folder``. ``registry`` is a path from there, or a repository's URL.

    ``chosen`` is the target of ``gen``, ``out`` its output folder.

    Raises UsageError when the file is there already.
    """
    target = folder / NAME
    if target.exists():
        raise UsageError(f"{target} already exists; nothing was written", fix="edit it, or name another folder")
    is_url = re.match(r"[a-z+]+://|[\w.-]+@[\w.-]+:", registry) is not None
    if not is_url:
        _check_service(Path(os.path.normpath(folder / registry)), service)
    schema = PurePosixPath(Path(registry).as_posix(), "_schemas/service-repo.schema.json")
    head = (
        ""
        if is_url or not Path(os.path.normpath(folder / schema)).is_file()
        else f"# yaml-language-server: $schema={schema}\n"
    )
    location = edits.spell({"git" if is_url else "path": registry})
    text = _SERVICE.format(service=edits.spell(service), registry=location, target=chosen, out=out)
    return {target: head + text}


def _check_service(root: Path, service: str) -> None:
    """Raise UsageError where ``root`` is not a registry, or does not know the service."""
    if not (root / SETTINGS).is_file():
        what = "is not a registry: it has no babelreg.yaml" if root.exists() else "does not exist"
        fix = f"name the folder that contains {SETTINGS}: --registry DIR; or start one: {_command('init', root)}"
        raise UsageError(f"the registry {root} {what}; nothing was written", fix=fix)
    known = {path.stem for path in (root / "_services").glob("*.yaml")}
    if service not in known and not _named(root, service):
        near = closest(service, known)
        hint = f"did you mean --service {shlex.quote(near)}? If not, " if near else ""
        fix = f"{hint}create {root / '_services' / service}.yaml first, with its owner and lang"
        raise UsageError(f"the registry {root} does not declare service '{service}'; nothing was written", fix=fix)


def _named(root: Path, service: str) -> bool:
    """Return True where a message names the service as one of its producers or consumers."""
    from babelreg.load.registry.root import registry
    from babelreg.model.service_subset import names

    return service in names(registry(root))


def _command(name: str, root: Path) -> str:
    return shlex.join(["babelreg", name, str(root)])


def schema_files(folder: Path) -> dict[Path, str]:
    """Return the JSON Schemas of the registry's files for ``folder/_schemas``, but those that are there already."""
    files = {}
    for name in (*file_validation.FORMATS, "service-repo"):
        path, text = folder / "_schemas" / f"{name}.schema.json", file_validation.schema_text(name)
        if not path.exists() or path.read_text("utf-8") != text:
            files[path] = text
    return files


def save(files: Mapping[Path, str]) -> None:
    """Write ``files``: all, or on an error none, nor the folders made for them. Raises UsageError."""
    made: list[Path] = []
    try:
        for path in files:
            made += reversed([folder for folder in path.parents if not folder.exists()])
            path.parent.mkdir(parents=True, exist_ok=True)
        write_all({path: text.encode() for path, text in files.items()})
    except OSError as err:
        for folder in reversed(made):
            with contextlib.suppress(OSError):
                folder.rmdir()
        message = f"cannot write {err.filename}: {err.strerror}; nothing was written"
        raise UsageError(message, fix="free space, or name a folder you may write to") from err


def example_folder() -> Path:
    """Return the example registry: inside the package when installed from a wheel, else beside it in the checkout."""
    package = Path(__file__).parents[2]
    for folder in (package / "registry.example", package.parent / "registry.example"):
        if (folder / "babelreg.yaml").is_file():
            return folder
    raise UsageError("the example registry is not installed", fix="pip install --force-reinstall babelreg")
