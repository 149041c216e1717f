"""The service of docs/typescript.md runs with the SDK's surface, and prints what the page shows. Needs node, npm and Redis."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import node_sdk
import pytest
import redis_server

pytestmark = pytest.mark.servers

PAGE = (Path(__file__).resolve().parents[4] / "docs/typescript.md").read_text("utf-8")
IOREDIS = """
import { Redis } from "@babelqueue/redis/index.js";
export { Redis };
"""
IOREDIS_TYPES = """
import type { RedisClient } from "@babelqueue/redis";
export declare class Redis implements RedisClient {
  constructor(url: string);
  rpush(key: string, value: string): Promise<number>;
  brpoplpush(source: string, destination: string, timeout: number): Promise<string | null>;
  lrem(key: string, count: number, value: string): Promise<number>;
}
"""


def package(folder: Path, name: str, source: str, types: str) -> None:
    """Write a package of npm, as an installation would."""
    home = folder / "node_modules" / name
    home.mkdir(parents=True)
    (home / "package.json").write_text(json.dumps({"name": name, "type": "module", "main": "index.js"}))
    (home / "index.js").write_text(source)
    (home / "index.d.ts").write_text(types)


def test_the_service_of_the_page_runs_and_prints_what_the_page_shows(tmp_path: Path, tsc: Path) -> None:
    for command in (["init", "registry", "-q"], ["gen", "typescript", "--out", "src/messages"]):
        subprocess.run([sys.executable, "-m", "babelreg", *command], cwd=tmp_path, check=True, capture_output=True)
    for name in ("package.json", "tsconfig.json", "src/service.ts"):
        (text,) = re.findall(rf"cat > {re.escape(name)} <<'END'\n(.*?)^END$", PAGE, re.S | re.M)
        (tmp_path / name).write_text(text, "utf-8")
    (shown,) = re.findall(r"^node dist/service.js\n```\n\n```text\n(.*?)^```$", PAGE, re.S | re.M)
    package(tmp_path, "@babelqueue/redis", node_sdk.STAND_IN, node_sdk.TYPES)
    package(tmp_path, "ioredis", IOREDIS, IOREDIS_TYPES)
    with redis_server.running() as server:
        service = tmp_path / "src/service.ts"
        service.write_text(service.read_text("utf-8").replace("redis://localhost:6379/0", server.url), "utf-8")
        compiled = subprocess.run([tsc], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert (compiled.returncode, compiled.stdout) == (0, "")
        process = subprocess.Popen(["node", "dist/service.js"], cwd=tmp_path, stdout=subprocess.PIPE, text=True)
        try:
            assert process.stdout is not None
            assert "".join(process.stdout.readline() for _ in shown.splitlines()) == shown
        finally:
            process.kill()
            process.wait()
