"""Examples of code in the languages of the services that send and handle a message; each one compiles."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import hostile
import node_sdk
import npm
import php_project
import pytest
import typescript_project
from go_package import go, unformatted
from go_package import written as go_written

from babelreg import load
from babelreg.gen.reference.usage import CodeExample, Usage
from babelreg.gen.target import generated_messages
from babelreg.model import Registry

ROOT = Path(__file__).resolve().parents[3]


def registry(producers: str, consumers: str, lang: dict[str, str]) -> Registry:
    """Return a registry with one message, and services in these languages."""
    uses = 'consumes: [{urn: "urn:babel:shop:sold"}]\n'
    files = {
        "babelreg.yaml": "version: 1\n",
        "shop/_context.yaml": "owner: t\n",
        "shop/sold.yaml": "urn: urn:babel:shop:sold\nkind: event\nowner: t\nqueue: q\n"
        f"producers: [{producers}]\ndata: {{type: object, properties: {{n: {{type: integer}}}}}}\n",
        **{
            f"_services/{name}.yaml": f"owner: t\nlang: {lang[name]}\n"
            + (uses if name in consumers.split(", ") else "")
            for name in lang
        },
    }
    found = load.from_tree(load.files.tree.Memory({path: text.encode() for path, text in files.items()}))
    assert not found.defects, found.defects
    return found


def shown(found: Registry, **options: Any) -> tuple[list[str], list[str]]:
    usage, (message,) = Usage(found, options), found.messages
    return [each.language for each in usage.send(message)], [each.language for each in usage.handle(message)]


@pytest.mark.parametrize(
    "lang, languages",
    [
        pytest.param({"a": "node", "b": "go"}, (["TypeScript"], ["Go"]), id="a sender on Node and a reader in Go"),
        pytest.param({"a": "go", "b": "python"}, (["Go"], ["Python"]), id="a sender in Go and a reader in Python"),
        pytest.param({"a": "php", "b": "php"}, (["PHP"], ["PHP"]), id="both sides in PHP"),
        pytest.param({"a": "java", "b": "dotnet"}, (["Python"], ["Python"]), id="languages without generated code"),
    ],
)
def test_each_side_sees_its_own_language(lang: dict[str, str], languages: tuple[list[str], list[str]]) -> None:
    assert shown(registry("a", "b", lang)) == languages


def test_several_readers_see_all_their_languages() -> None:
    lang = {"a": "python", "b": "go", "c": "node", "d": "go"}
    assert shown(registry("a", "b, c, d", lang)) == (["Python"], ["TypeScript", "Go"])


def test_a_service_sees_its_own_language_and_role_alone() -> None:
    found = registry("a", "b", {"a": "python", "b": "go"})
    roles = {"produces": (), "consumes": ("urn:babel:shop:sold",)}
    assert shown(found, service="b", **roles) == ([], ["Go"])


@pytest.mark.parametrize(
    "lang, options, shown_name",
    [
        pytest.param("go", {"package": "events"}, "events.Publish(", id="a package in Go"),
        pytest.param("php", {"namespace": "App\\Events"}, "use App\\Events\\Publisher;", id="a namespace in PHP"),
    ],
)
def test_the_options_of_a_service_name_its_code(lang: str, options: dict[str, str], shown_name: str) -> None:
    found = registry("a", "b", {"a": lang, "b": "python"})
    roles = {"service": "a", "produces": ("urn:babel:shop:sold",), "consumes": (), lang: options}
    (example,) = Usage(found, roles).send(found.messages[0])
    assert shown_name in example.source


def test_a_handler_in_php_says_that_the_service_needs_others() -> None:
    found = registry("a", "b", {"a": "python", "b": "php"})
    roles = {"service": "b", "produces": (), "consumes": ("urn:babel:shop:sold", "urn:babel:shop:refunded")}
    (example,) = Usage(found, roles).handle(found.messages[0])
    assert "// and one for each other message that the service consumes" in example.source


def _in(language: str, found: Registry) -> dict[str, list[CodeExample]]:
    """Return the examples of all messages of ``found`` in one language: what sends and what handles each."""
    usage, made = Usage(found, {}), {}
    for message in generated_messages(found):
        wanted = usage._languages[language]
        sources = [wanted.send(message, usage._queues.get(message.urn)), wanted.handle(message, "inbox")]
        made[message.urn] = [CodeExample(language, language, "", source) for source in sources if source]
    return made


_GO_SDK = """
package babelqueue

import "context"

type Envelope struct{ Job, TraceID string; Data map[string]any }
type Option func()
type Handler func(ctx context.Context, env Envelope) error
type App struct{}

func WithQueue(queue string) Option { return nil }
func (a *App) Handle(urn string, handler Handler) {}
func (a *App) Publish(ctx context.Context, urn string, data map[string]any, opts ...Option) (string, error) {
	return "", nil
}
"""


@pytest.mark.servers
@pytest.mark.parametrize("which", ["example", "hostile"])
def test_every_example_in_go_compiles(which: str, tmp_path: Path) -> None:
    found = load.registry(ROOT / "registry.example") if which == "example" else hostile.registry()
    texts = {}
    for number, examples in enumerate(_in("go", found).values()):
        source = "\n\n".join(each.source for each in examples)
        # Before Go 1.21 the types of the SDK have to be named.
        source = source.replace(".Publish(", ".Publish[babelqueue.Option](").replace(
            ".Handle(", ".Handle[babelqueue.Handler]("
        )
        packages = [name for name in ("context", "encoding/json", "fmt") if f"{name.rpartition('/')[2]}." in source]
        imports = "".join(f'\t"{name}"\n' for name in sorted([*packages, "example/babelqueue", "example/messages"]))
        texts[f"use{number}"] = f"package use\n\nimport (\n{imports})\n\n{source}\n"
    go_written(found, tmp_path, babelqueue=_GO_SDK, **texts)
    built = go(tmp_path, "vet", "./...")
    assert (built.returncode, built.stderr) == (0, "")
    assert which == "hostile" or [path for path in unformatted(tmp_path) if path.startswith("use")] == []


_MODULES = """
declare module "ioredis" { export class Redis {
  constructor(url: string);
  rpush(key: string, value: string): Promise<number>;
  brpoplpush(source: string, destination: string, timeout: number): Promise<string | null>;
  lrem(key: string, count: number, value: string): Promise<number>;
} }
declare module "@babelqueue/redis" { SDK }
declare const console: { log(...values: unknown[]): void };
"""


@pytest.mark.servers
@pytest.mark.parametrize("which", ["example", "hostile"])
def test_every_example_in_typescript_compiles(which: str, tmp_path: Path) -> None:
    found = load.registry(ROOT / "registry.example") if which == "example" else hostile.registry()
    commands = npm.install(tmp_path, "typescript@5.9")
    texts = {
        f"{kind}{number}": f"{each.source}\n"
        for number, examples in enumerate(_in("node", found).values())
        for kind, each in zip(("send", "handle"), examples, strict=True)
        if kind == "handle" or which == "example"  # the hostile messages have no data to send
    }
    typescript_project.written(found, tmp_path, out="messages", **texts)
    (tmp_path / "modules.d.ts").write_text(_MODULES.replace("SDK", node_sdk.TYPES.replace("declare ", "")))
    assert typescript_project.errors(commands / "tsc", tmp_path) == []


_PREDIS = r"""<?php
namespace Predis { class Client { public function __construct(string $url) {} } }
namespace BabelQueue\Transport { final class RedisTransport implements \BabelQueue\Contracts\Transport {
    public function __construct(\Predis\Client $client) {}
    public function publish(string $payload, ?string $queue = null): ?string { echo $payload, "\n"; return null; }
} }
"""


@pytest.mark.servers
@pytest.mark.parametrize("which", ["example", "hostile"])
def test_every_example_in_php_parses_and_sends_its_data(which: str, tmp_path: Path) -> None:
    found = load.registry(ROOT / "registry.example") if which == "example" else hostile.registry()
    sources = {
        f"{kind}{number}": f"{each.source}\n"
        for number, examples in enumerate(_in("php", found).values())
        for kind, each in zip(("send", "handle"), examples, strict=True)
    }
    php_project.written(found, tmp_path, predis=_PREDIS, **sources)
    files = [f"{name}.php" for name in sources]
    broken = [done.stdout for name in files if (done := php_project.php(tmp_path, "-l", name)).returncode != 0]
    assert broken == []
    if which == "example":  # the hostile messages have no data to send
        prepared = ["-d", "auto_prepend_file=prepend.php"]
        (tmp_path / "prepend.php").write_text("<?php require 'autoload.php'; require 'predis.php';")
        for number, message in enumerate(generated_messages(found)):
            done = php_project.php(tmp_path, *prepared, f"send{number}.php")
            assert (done.returncode, done.stderr) == (0, "")
            assert json.loads(done.stdout)["data"] == message.examples[0].data
