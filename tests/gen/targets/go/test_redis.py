"""Generated Go and generated Python handle what the other sends, over a real Redis. Needs Go 1.19 or later.

The SDK is a stand-in for the Go SDK's core and its Redis module, which no proxy of modules has: the same surface, the same
envelope, and the same commands of Redis (RPUSH, BLMOVE, LREM).
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
import python_service
import redis_server
from generated import write_package
from go_package import go, written

from babelreg import load
from babelreg.gen.target import generated_messages
from babelreg.typemap.names import class_name

pytestmark = pytest.mark.servers

ROOT = Path(__file__).resolve().parents[4]

SDK = """
package sdk

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"time"
)

type Envelope struct {
	Job        string         `json:"job"`
	TraceID    string         `json:"trace_id"`
	Data       map[string]any `json:"data"`
	Meta       Meta           `json:"meta"`
	Attempts   int            `json:"attempts"`
	DeadLetter *DeadLetter    `json:"dead_letter,omitempty"`
}

type Meta struct {
	ID            string `json:"id"`
	Queue         string `json:"queue"`
	Lang          string `json:"lang"`
	SchemaVersion int    `json:"schema_version"`
	CreatedAt     int64  `json:"created_at"`
}

type DeadLetter struct {
	Reason string `json:"reason"`
}

type config struct{ queue string }

type Option func(*config)

func WithQueue(queue string) Option { return func(c *config) { c.queue = queue } }

type Handler func(ctx context.Context, env Envelope) error

type App struct {
	connection net.Conn
	replies    *bufio.Reader
	handlers   map[string]Handler
}

func NewApp(address string) *App {
	connection, err := net.Dial("tcp", address)
	if err != nil {
		panic(err)
	}
	return &App{connection, bufio.NewReader(connection), map[string]Handler{}}
}

func (a *App) Handle(urn string, handler Handler) { a.handlers[urn] = handler }

func (a *App) Publish(ctx context.Context, urn string, data map[string]any, opts ...Option) (string, error) {
	c := config{"default"}
	for _, o := range opts {
		o(&c)
	}
	env := Envelope{Job: urn, TraceID: uuid(), Data: data}
	env.Meta = Meta{ID: uuid(), Queue: c.queue, Lang: "go", SchemaVersion: 1, CreatedAt: time.Now().UnixNano() / 1e6}
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(env); err != nil {
		return "", err
	}
	a.command("RPUSH", c.queue, strings.TrimRight(body.String(), "\\n"))
	return env.Meta.ID, nil
}

func (a *App) Drain(ctx context.Context, queue string, max int) (int, error) {
	for handled := 0; handled < max; handled++ {
		body := a.command("BLMOVE", queue, queue+":processing", "LEFT", "RIGHT", "20")
		var env Envelope
		if err := json.Unmarshal([]byte(body), &env); err != nil {
			return handled, err
		}
		if err := a.handlers[env.Job](ctx, env); err != nil {
			return handled, err
		}
		a.command("LREM", queue+":processing", "1", body)
	}
	return max, nil
}

func uuid() string {
	b := make([]byte, 16)
	if _, err := rand.Read(b); err != nil {
		panic(err)
	}
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

func (a *App) command(words ...string) string {
	fmt.Fprintf(a.connection, "*%d\\r\\n", len(words))
	for _, word := range words {
		fmt.Fprintf(a.connection, "$%d\\r\\n%s\\r\\n", len(word), word)
	}
	line, err := a.replies.ReadString('\\n')
	if err != nil || line[0] == '-' || line[0] == '*' {
		panic(fmt.Sprint(words[0], ": ", line, err))
	}
	if line[0] != '$' {
		return strings.TrimSpace(line[1:])
	}
	size, err := strconv.Atoi(strings.TrimSpace(line[1:]))
	if err != nil || size < 0 {
		panic(words[0] + ": no message")
	}
	text := make([]byte, size+2)
	if _, err := io.ReadFull(a.replies, text); err != nil {
		panic(err)
	}
	return string(text[:size])
}
"""

SERVICE = """
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"

	"example/messages"
	"example/sdk"
)

type line struct {
	URN  string          `json:"urn"`
	Data json.RawMessage `json:"data"`
}

func show[D messages.Message](ctx context.Context, envelope sdk.Envelope, data D) error {
	text, err := json.Marshal(data)
	if err != nil {
		return err
	}
	shown, err := json.Marshal(line{envelope.Job, text})
	fmt.Println(string(shown))
	return err
}

func send[D messages.Produced](app *sdk.App, text []byte) {
	var data D
	if err := json.Unmarshal(text, &data); err != nil {
		panic(err)
	}
	if _, err := messages.Publish[sdk.Option](context.Background(), app, data, sdk.WithQueue("for-python")); err != nil {
		panic(err)
	}
}

var senders = map[string]func(*sdk.App, []byte){
%senders
}

func main() {
	app := sdk.NewApp(os.Args[1])
%handlers
	count := 0
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); count++ {
		var sent line
		if err := json.Unmarshal(lines.Bytes(), &sent); err != nil {
			panic(err)
		}
		senders[sent.URN](app, sent.Data)
	}
	if _, err := app.Drain(context.Background(), "for-go", count); err != nil {
		panic(err)
	}
}
"""


def keyed(lines: list[Any]) -> list[str]:
    return sorted(json.dumps(line, sort_keys=True) for line in lines)


def test_each_language_handles_what_the_other_sends(tmp_path):
    registry = load.registry(ROOT / "registry.example")
    documents = [{"urn": m.urn, "data": each.data} for m in generated_messages(registry) for each in m.examples]
    assert len(documents) > 10
    lines = "".join(json.dumps(document) + "\n" for document in documents)
    names = {message.urn: class_name(message.parsed) for message in generated_messages(registry)}
    senders = "\n".join(f"\t{json.dumps(urn)}: send[messages.{name}]," for urn, name in names.items())
    handlers = "\n".join(f"\tmessages.Handle[sdk.Handler](app, show[messages.{name}])" for name in names.values())
    service = SERVICE.replace("%senders", senders).replace("%handlers", handlers)
    written(registry, tmp_path, sdk=SDK, service=service)
    built = go(tmp_path, "build", "-o", "service.bin", "./service")
    assert built.returncode == 0, built.stderr
    write_package(tmp_path / "python", registry)
    source = python_service.source(inbox="for-python", outbox="for-go")
    (tmp_path / "python/service.py").write_text(source, "utf-8")
    with redis_server.running() as server:
        address = server.url.removeprefix("redis://").partition("/")[0]
        commands = [[str(tmp_path / "service.bin"), address], [sys.executable, "service.py", server.url]]
        by_go, by_python = python_service.talk(commands, tmp_path / "python", lines)
    assert keyed(by_go) == keyed(documents)
    assert keyed(by_python) == keyed(documents)
