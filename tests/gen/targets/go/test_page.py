"""The service of docs/go.md runs with the SDK's surface, and prints what the page shows. Needs Go 1.19 or later."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from go_package import go

pytestmark = pytest.mark.servers

PAGE = (Path(__file__).resolve().parents[4] / "docs/go.md").read_text("utf-8")

SDK = """
package babelqueue

import (
	"context"
	"encoding/json"
)

type Envelope struct {
	Job      string         `json:"job"`
	Data     map[string]any `json:"data"`
	Attempts int            `json:"attempts"`
}

type config struct{ queue string }

type Option func(*config)

func WithQueue(queue string) Option { return func(c *config) { c.queue = queue } }

type Handler func(ctx context.Context, env Envelope) error

type InMemoryTransport struct{ queues map[string][][]byte }

func NewInMemoryTransport() *InMemoryTransport { return &InMemoryTransport{map[string][][]byte{}} }

type App struct {
	transport *InMemoryTransport
	handlers  map[string]Handler
}

func NewApp(transport *InMemoryTransport) *App { return &App{transport, map[string]Handler{}} }

func (a *App) Handle(urn string, handler Handler) { a.handlers[urn] = handler }

func (a *App) Publish(ctx context.Context, urn string, data map[string]any, opts ...Option) (string, error) {
	c := config{"default"}
	for _, o := range opts {
		o(&c)
	}
	body, err := json.Marshal(Envelope{Job: urn, Data: data})
	a.transport.queues[c.queue] = append(a.transport.queues[c.queue], body)
	return "id", err
}

func (a *App) Drain(ctx context.Context, queue string, max int) (int, error) {
	bodies := a.transport.queues[queue]
	for _, body := range bodies {
		var envelope Envelope
		if err := json.Unmarshal(body, &envelope); err != nil {
			return 0, err
		}
		if err := a.handlers[envelope.Job](ctx, envelope); err != nil {
			return 0, err
		}
	}
	return len(bodies), nil
}
"""


def test_the_service_of_the_page_runs_and_prints_what_the_page_shows(tmp_path):
    shop, sdk = tmp_path / "shop", tmp_path / "sdk"
    shop.mkdir()
    sdk.mkdir()
    for command in (["init", "registry", "-q"], ["gen", "go", "--out", "internal"]):
        subprocess.run([sys.executable, "-m", "babelreg", *command], cwd=shop, check=True, capture_output=True)
    (program,) = re.findall(r"cat > main.go <<'END'\n(.*?)^END$", PAGE, re.S | re.M)
    (shown,) = re.findall(r"^go run \.\n```\n\n```text\n(.*?)^```$", PAGE, re.S | re.M)
    # Before Go 1.21 the types of the SDK have to be named, as the page says.
    for function, type_ in (("Publish", "Option"), ("Handle", "Handler")):
        assert f"messages.{function}[babelqueue.{type_}](" in PAGE
        program = program.replace(f"messages.{function}(", f"messages.{function}[babelqueue.{type_}](")
    (shop / "main.go").write_text(program, "utf-8")
    (sdk / "babelqueue.go").write_text(SDK, "utf-8")
    module = "github.com/babelqueue/babelqueue-go"
    (sdk / "go.mod").write_text(f"module {module}\n\ngo 1.18\n")
    (shop / "go.mod").write_text(f"module shop\n\ngo 1.18\n\nrequire {module} v1.6.0\n\nreplace {module} => ../sdk\n")
    ran = go(shop, "run", ".")
    assert (ran.stdout, ran.stderr) == (shown, "")
