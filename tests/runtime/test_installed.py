"""A generated package in an environment of its own: what it declares is what it needs, and a service runs on it.

Installs from the package index: run it with ``-m long``.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from generated import FORMS
from packaging.requirements import Requirement

from babelreg import load
from babelreg.gen.python_code.package_options import PackageOptions
from babelreg.gen.targets.python import target
from babelreg.gen.write import write
from babelreg.model.service_subset import share_of

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "registry.example"

SERVICE = """
import importlib.util, json, sqlite3, sys
from importlib.metadata import distributions
from babelqueue import BabelQueue
from messages import (
    Consumer, InvalidDataError, MediaThumbnailGenerate, MediaThumbnailGenerated, MediaThumbnailGeneratedProducer,
    OutboxRelay, SqliteLedger, SqlOutbox,
)
from messages.testing import Broker

said = {"babelreg": importlib.util.find_spec("babelreg") is not None, "handled": []}
app = BabelQueue("memory://", queue="media")
consumer = Consumer(app, ledger=SqliteLedger("service.db"))
producer = MediaThumbnailGeneratedProducer(app)
database = sqlite3.connect("service.db")
SqlOutbox(database).create()

@consumer.on(MediaThumbnailGenerate)
async def handle(job, context):
    said["handled"].append(context.urn)
    producer.write(SqlOutbox(context.connection), done)

job = MediaThumbnailGenerate(**JOB)
done = MediaThumbnailGenerated(**DONE)
with Broker(app) as broker:
    outcome = broker.deliver(consumer, job, of=MediaThumbnailGenerate)
    said["kind"] = outcome.kind
    said["again"] = broker.deliver_raw(consumer, "no json").reason
    said["relayed"] = OutboxRelay(app.transport, SqlOutbox(database)).drain().published
    said["sent"] = len(broker.sent(MediaThumbnailGenerated))
try:
    producer.send(MediaThumbnailGenerated(**{**DONE, "source_url": "not a url at all"}))
except InvalidDataError as error:
    said["refused"] = error.pointer
said["installed"] = sorted(one.metadata["Name"].lower() for one in distributions())
print(json.dumps(said))
"""


def examples() -> dict[str, object]:
    """The first example of the messages that the service takes and sends."""
    by_urn = load.registry(EXAMPLE).by_urn
    return {
        "JOB": by_urn["urn:babel:media:thumbnail.generate"].examples[0].data,
        "DONE": by_urn["urn:babel:media:thumbnail.generated"].examples[0].data,
    }


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel of the runtime."""
    out = tmp_path_factory.mktemp("wheels")
    command = [sys.executable, ROOT / "tools" / "wheels.py", "--only", "runtime", "--out", out]
    subprocess.run(command, check=True)
    return out


def lowest(options: PackageOptions) -> str:
    """The constraints of pip for the lowest versions that the package accepts, also through the runtime."""
    lines = []
    for need in map(Requirement, replace(options, vendored=True).needs):
        (low,) = (clause.version for clause in need.specifier if clause.operator == ">=")
        lines.append(f"{need.name}=={low}\n")
    return "".join(lines)


NEEDED = {
    "pydantic": {"pydantic", "pydantic-core", "annotated-types", "typing-extensions", "typing-inspection"},
    "typeddict": {"typing-extensions"},
}


@pytest.mark.long
@pytest.mark.parametrize("end", ["lowest", "highest"])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("models", NEEDED)
def test_a_service_runs_on_what_its_package_declares(
    models: str, form: str, end: str, wheels: Path, tmp_path: Path
) -> None:
    share = share_of(load.registry(EXAMPLE), "media-worker")
    options = {"service": "media-worker", "models": models, **share.urns}
    given = {**options, "runtime": form}
    write(tmp_path, "python", target.files(share.part, given))
    (tmp_path / "constraints.txt").write_text(lowest(PackageOptions.of(given)) if end == "lowest" else "")
    script = "".join(f"{name} = {value!r}\n" for name, value in examples().items())
    (tmp_path / "service.py").write_text(script + SERVICE)
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
    interpreter = str(tmp_path / "venv" / "bin" / "python")
    quiet = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--find-links", str(wheels)]
    needs = ["-c", "constraints.txt", "-r", "messages/requirements.txt"]
    shell = {**os.environ, "PWD": str(wheels)}  # where the requirement says that the wheel is
    subprocess.run([interpreter, *quiet, *needs], cwd=tmp_path, env=shell, check=True)
    env = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "VIRTUAL_ENV")}
    done = subprocess.run(
        [interpreter, "service.py"], cwd=tmp_path, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    installed = {name.replace("_", "-") for name in said.pop("installed")} - {"pip", "setuptools"}
    assert said == {
        "babelreg": False,
        "handled": ["urn:babel:media:thumbnail.generate"],
        "kind": "handled",
        "again": "poison",
        "relayed": 1,
        "sent": 1,
        "refused": "/source_url",
    }
    base = {"babelqueue", "jsonschema-rs", "orjson"} | ({"babelreg-runtime"} if form == "package" else set())
    assert installed >= base
    assert installed <= base | NEEDED[models]
