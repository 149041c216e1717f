"""A hostile registry on disk, through the command: whatever it says and whatever its files are called."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any
from urllib.parse import quote

import hostile
import pytest

from babelreg import load
from babelreg.cli import main
from babelreg.gen.targets import TARGETS
from babelreg.gen.unsupported import unsupported_messages

FILE_NAMES = [
    f"a\n{hostile.CANARY}\n", 'a"""', "a'''", "a\\", "a; rm -rf x", "$(touch x)", "`touch x`", "-rf", "a b", "--", "*",
    "a -- b", "<script>", "a|b", "{{ a }}", "a\u202eb", "a\u2028b", "ﬁ", "名前", "a" * 200, "(sum 0123456789abcdef)", "%s{0}",
]  # fmt: skip


def without(node: Any, *keys: str) -> Any:
    """``node`` without what no registry may say: it is refused before anything is made of it."""
    if isinstance(node, list):
        return [without(one, *keys) for one in node]
    if not isinstance(node, dict):
        return node
    return {key: spelled(key, without(value, *keys)) for key, value in node.items() if key not in keys}


def spelled(key: str, value: Any) -> Any:
    """``value``; a reference spelled as a URI, since validators take no other."""
    if key != "$ref" or not isinstance(value, str):
        return value
    return quote(value, safe="#/$~:", errors="surrogatepass")


def text_of(number: int, text: str, schema: dict[str, Any]) -> bytes:
    """A message file: JSON, which is YAML."""
    said = {"urn": f"urn:babel:hostile:case{number}", "kind": "event", "description": text, "owner": text, "queue": text,
            "producers": ["sender"], "data": without(schema, "$id", "$anchor")}  # fmt: skip
    return json.dumps(said, ensure_ascii=False).encode("utf-8", "surrogatepass")


OWN_TESTS = ("catalog", "docs", "go", "php", "python", "spark", "typescript")
"""Targets whose own tests make files from every case; from the disk they get those with unusual file names, and a share."""


@pytest.fixture(scope="module")
def registry(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every case that a registry can hold without a defect, and that files can be made from."""
    root = tmp_path_factory.mktemp("hostile")
    files = _files()
    _write(root, files)
    assert len(files) > 100
    return root


@pytest.fixture(scope="module")
def share(registry: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every message with an unusual file name, and each third of the others."""
    root = tmp_path_factory.mktemp("share") / "registry"
    shutil.copytree(registry, root)
    plain = sorted(root.glob("hostile/case*.yaml"), key=lambda path: int(path.stem.removeprefix("case")))
    for number, path in enumerate(plain):
        if number % 3:
            path.unlink()
    assert len(list(root.glob("hostile/*.yaml"))) > 40
    return root


def _files() -> dict[str, bytes]:
    shared = {"babelreg.yaml": b"version: 1\n", "hostile/_context.yaml": b"owner: t\n"}
    files = dict(shared)
    for number, (text, schema) in enumerate(hostile.cases().values()):
        name = FILE_NAMES[number] if number < len(FILE_NAMES) else f"case{number}"
        file = {f"hostile/{name}.yaml": text_of(number, text, schema)}
        alone = load.from_tree(load.files.tree.Memory({**shared, **file}))
        if not alone.defects and not unsupported_messages(alone, TARGETS["spark"]):
            files |= file
    return files


def _write(root: Path, files: dict[str, bytes]) -> None:
    for path, body in files.items():
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_bytes(body)


def gen(target: str, registry: Path, *more: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(["gen", target, "--registry", str(registry), "--output", os.devnull, *more])
    return int(ended.value.code or 0)


def held(out: Path) -> dict[Path, bytes]:
    """Every file but the list of them."""
    return {path: path.read_bytes() for path in sorted(out.rglob("*")) if path.is_file() and path.suffix != ".files"}


def urns_in(registry: Path) -> list[str]:
    files = sorted(registry.glob("hostile/[!_]*.yaml"))
    return [json.loads(path.read_bytes().decode("utf-8", "surrogatepass"))["urn"] for path in files]


@pytest.mark.parametrize("target", [name for name in TARGETS if name != "codeowners"])  # which names no URN
def test_everything_is_made_stays_inside_and_stands(target: str, registry: Path, share: Path, tmp_path: Path) -> None:
    registry = share if target in OWN_TESTS else registry
    out = tmp_path / "here" / "out"
    assert gen(target, registry, "--out", str(out)) == 0
    assert [path.name for path in tmp_path.rglob("*") if out not in path.parents] == ["here", "out"]
    made = held(out)
    assert made
    missing = [urn for urn in urns_in(registry) if urn.encode() not in b"".join(made.values())]
    assert missing == [] or target == "agents"  # its text names no message
    for path, body in made.items():
        if path.suffix == ".py":
            compile(body, str(path), "exec")
    assert gen(target, registry, "--out", str(out), "--check", "--no-cache") == 0
    assert gen(target, registry, "--out", str(out)) == 0
    assert held(out) == made
