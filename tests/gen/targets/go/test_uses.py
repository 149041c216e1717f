"""The compiler of Go takes right uses with the SDK's surface, and refuses wrong ones. Needs Go 1.19 or later."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from go_package import go, written

from babelreg import load
from babelreg.model.service_subset import share_of

ROOT = Path(__file__).resolve().parents[4]


pytestmark = pytest.mark.servers

# The surface of the SDK's core, as far as generated code touches it; what is sent is handled at once.
SDK = """
package sdk

import (
	"context"
	"encoding/json"
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

type makeConfig struct{ queue string }

type Option func(*makeConfig)

func WithQueue(queue string) Option { return func(c *makeConfig) { c.queue = queue } }

type Handler func(ctx context.Context, env Envelope) error

type App struct{ Handlers map[string]Handler }

func (a *App) Handle(urn string, handler Handler) { a.Handlers[urn] = handler }

func (a *App) Publish(ctx context.Context, urn string, data map[string]any, opts ...Option) (string, error) {
	text, err := json.Marshal(Envelope{Job: urn, Data: data})
	if err != nil {
		return "", err
	}
	var decoded Envelope
	if err := json.Unmarshal(text, &decoded); err != nil {
		return "", err
	}
	return string(text), a.Handlers[urn](ctx, decoded)
}
"""

USES = """
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"

	"example/messages"
	"example/sdk"
)

func main() {
	ctx := context.Background()
	app := &sdk.App{Handlers: map[string]sdk.Handler{}}
	order := messages.OrdersCreatedV2{
		OrderID: 9007199254740991,
		Total:   messages.Common_Money{Minor: 1, Currency: "EUR"},
		Channel: messages.Some(messages.OrdersCreatedV2_Channel_Web),
		Lines:   messages.Some([]messages.OrdersCreatedV2_Line{{SKU: "ABC", Qty: 1}}),
		ShipTo: messages.Some(messages.Common_Address{
			Line1: "a", Line2: messages.Some(messages.Null[string]()), City: "b", Country: "SE",
		}),
		Extra: map[string]json.RawMessage{"later": json.RawMessage(`1e2`)},
	}
	messages.Handle[sdk.Handler](app, func(ctx context.Context, envelope sdk.Envelope, data messages.OrdersCreatedV2) error {
		fmt.Println(envelope.Job, data.OrderID, data.Total.Currency, data.Channel.Value == "web", data.Email.Set)
		fmt.Println(data.ShipTo.Value.Line2.Value.Null, string(data.Extra["later"]))
		return nil
	})
	text, err := messages.Publish[sdk.Option](ctx, app, order, sdk.WithQueue(messages.OrdersCreatedV2_Queue))
	fmt.Println(text, err)
	var again messages.OrdersCreatedV2
	body, _ := json.Marshal(order)
	fmt.Println(json.Unmarshal(body, &again), reflect.DeepEqual(order, again))
	order.Extra["email"] = nil
	_, err = messages.Publish[sdk.Option](ctx, app, order)
	fmt.Println(err)
	for _, inbox := range messages.Inboxes {
		if inbox.Service == "warehouse" {
			fmt.Println(inbox.Queue, inbox.URNs)
		}
	}
	_, err = messages.Data[messages.OrdersCreatedV2](sdk.Envelope{Data: map[string]any{"order_id": "1"}})
	fmt.Println(err)
	fmt.Println(json.Unmarshal([]byte(`{"order_id": 1, "total": null}`), &order))
	fmt.Println(json.Unmarshal([]byte(`{"order_id": 1.5}`), &order))
	fmt.Println(json.Unmarshal([]byte(`{"order_id": 1e30}`), &order))
	fmt.Println(json.Unmarshal([]byte(`{"order_id": 1}`), &order))
}
"""

# The SDK needs Go 1.21, which finds the type arguments of Publish and Handle.
INFERRED = """//go:build go1.21

package inferred

import (
	"context"

	"example/messages"
	"example/sdk"
)

func Uses(ctx context.Context, app *sdk.App) {
	messages.Handle(app, func(ctx context.Context, envelope sdk.Envelope, data messages.OrdersCancelled) error {
		return nil
	})
	messages.Publish(ctx, app, messages.OrdersCancelled{}, sdk.WithQueue("x"))
}
"""
PRINTED = """\
urn:babel:orders:created.v2 9007199254740991 EUR true false
true 100
{"job":"urn:babel:orders:created.v2","trace_id":"","data":{"channel":"web","later":1e2,"lines":[{"qty":1,"sku":"ABC"}],\
"order_id":9007199254740991,"ship_to":{"city":"b","country":"SE","line1":"a","line2":null},"total":{"currency":"EUR","minor":1}},\
"meta":{"id":"","queue":"","lang":"","schema_version":0,"created_at":0},"attempts":0} <nil>
<nil> true
"email": a declared property is in Extra
warehouse [urn:babel:orders:cancelled urn:babel:orders:created.v2]
"order_id": not an integer
"total": not an object
"order_id": not an integer
"order_id": not an integer of 64 bits
"total": missing
"""


@pytest.fixture(scope="module")
def example():
    return load.registry(ROOT / "registry.example")


def test_a_service_sends_and_handles_through_the_sdk(example, tmp_path):
    written(example, tmp_path, sdk=SDK, uses=USES, inferred=INFERRED)
    vetted = go(tmp_path, "vet", "./...")
    assert (vetted.returncode, vetted.stderr) == (0, "")
    ran = go(tmp_path, "run", "./uses")
    assert (ran.stdout, ran.stderr) == (PRINTED, "")


_TOTAL = 'Total: messages.Common_Money{Minor: 1, Currency: "EUR"}'
WRONG = {
    "a field is misspelt": "_ = messages.OrdersCreatedV2{OrderId: 1}",
    "the name on the wire": "_ = messages.OrdersCreatedV2{order_id: 1}",
    "a nested field is misspelt": "_ = messages.Common_Money{Curency: `EUR`}",
    "text for an integer": "_ = messages.OrdersCreatedV2{OrderID: `1`}",
    "a fraction for an integer": "_ = messages.OrdersCreatedV2{OrderID: 1.5}",
    "an integer that does not fit into 64 bits": "_ = messages.OrdersCreatedV2{OrderID: 9223372036854775808}",
    "an int variable for an integer": "n := 1; _ = messages.OrdersCreatedV2{OrderID: n}",
    "an integer for text": "_ = messages.Common_Money{Currency: 1}",
    "nil for an integer": "_ = messages.OrdersCreatedV2{OrderID: nil}",
    "nil for an object": "_ = messages.OrdersCreatedV2{Total: nil}",
    "nil for an optional value": "_ = messages.OrdersCreatedV2{Email: nil}",
    "a bare value for an optional one": "_ = messages.OrdersCreatedV2{Email: `a@b.example`}",
    "a pointer for an optional value": "e := `a`; _ = messages.OrdersCreatedV2{Email: &e}",
    "an integer for optional text": "_ = messages.OrdersCreatedV2{Email: messages.Some(1)}",
    "null for what may only be absent": "_ = messages.OrdersCreatedV2{Email: messages.Null[string]()}",
    "a text variable for listed values": "c := `web`; _ = messages.OrdersCreatedV2{Channel: messages.Some(c)}",
    "an integer for listed values": "_ = messages.OrdersCreatedV2{Channel: messages.Some(1)}",
    "a constant that is none": "_ = messages.OrdersCreatedV2_Channel_Fax",
    "an object for a list": "_ = messages.OrdersCreatedV2{Lines: messages.Some(messages.OrdersCreatedV2_Line{})}",
    "items of another type": "_ = messages.OrdersCreatedV2{Lines: messages.Some([]string{`ABC`})}",
    "a part of another message": "_ = messages.CustomersRegistered{Consents: messages.Some(messages.OrdersCreatedV2_Line{})}",
    "a time for a text": "_ = messages.OrdersCreatedV2{PlacedAt: messages.Some(time.Now())}",
    "optional values are compared": "var o messages.OrdersCreatedV2; _ = o.Email == messages.Some(`a@b.example`)",
    "an optional value is used as it is": "var o messages.OrdersCreatedV2; var e string = o.Email; _ = e",
    "an optional value is compared": "var o messages.OrdersCreatedV2; _ = o.Email == ``",
    "null of what may only be absent": "var o messages.OrdersCreatedV2; _ = o.Email.Null",
    "a nullable value is used as it is": "var a messages.Common_Address; var l string = a.Line2.Value; _ = l",
    "an undeclared property is a field": "var o messages.OrdersCreatedV2; _ = o.Coupon",
    "an undeclared property without JSON": "_ = messages.OrdersCreatedV2{Extra: map[string]any{`x`: 1}}",
    "a URN is assigned to": "messages.OrdersCreatedV2_URN = `x`",
    "the queue of no message": "_ = messages.OrdersCreate_Queue",
    "a map for data": "messages.Publish[sdk.Option](ctx, app, map[string]any{})",
    "a part for data": "messages.Publish[sdk.Option](ctx, app, messages.Common_Money{})",
    "no data": "messages.Publish[sdk.Option](ctx, app)",
    "a URN beside the data": "messages.Publish[sdk.Option](ctx, app, messages.OrdersCreatedV2_URN, messages.OrdersCreatedV2{})",
    "an option that is none": "messages.Publish[sdk.Option](ctx, app, messages.OrdersCreatedV2{}, `orders`)",
    "a handler without data": "messages.Handle[sdk.Handler](app, func(ctx context.Context, e sdk.Envelope) error { return nil })",
    "a handler of a map": "messages.Handle[sdk.Handler](app, func(ctx context.Context, e sdk.Envelope, d map[string]any) error { return nil })",
    "a handler of a part": "messages.Handle[sdk.Handler](app, func(ctx context.Context, e sdk.Envelope, d messages.Common_Money) error { return nil })",
    "a handler of another envelope": "messages.Handle[sdk.Handler](app, func(ctx context.Context, e string, d messages.OrdersCreatedV2) error { return nil })",
    "a handler without an error": "messages.Handle[sdk.Handler](app, func(ctx context.Context, e sdk.Envelope, d messages.OrdersCreatedV2) {})",
    "a handler that reads an undeclared property": "messages.Handle[sdk.Handler](app, func(ctx context.Context, e sdk.Envelope, d messages.OrdersCreatedV2) error { _ = d.Amount; return nil })",
}  # fmt: skip
_AROUND = """
package wrong%d

import (
	"context"
	"time"

	"example/messages"
	"example/sdk"
)

var _ = time.Now

func Use(ctx context.Context, app *sdk.App) {
	%s
}
"""
_RIGHT = "_ = messages.OrdersCreatedV2{OrderID: 1, Email: messages.Some(`a`), " + _TOTAL + "}"


def refused(output: str) -> set[int]:
    """Return the numbers of the packages that do not compile."""
    return {int(number) for number in re.findall(r"^# example/wrong(\d+)$", output, re.M)}


def test_wrong_uses_do_not_compile(example, tmp_path):
    assert len(WRONG) >= 30
    lines = [*WRONG.values(), _RIGHT]
    written(example, tmp_path, sdk=SDK, **{f"wrong{n}": _AROUND % (n, line) for n, line in enumerate(lines)})
    built = go(tmp_path, "build", "./...")
    assert refused(built.stderr) == set(range(len(WRONG))), built.stderr
    # For what the case says, not for a fault of the test.
    assert "imported and not used" not in built.stderr
    assert "declared and not used" not in built.stderr


def test_a_service_sends_and_handles_its_own_messages_alone(example, tmp_path):
    share = share_of(example, "warehouse")
    line = "messages.{}[sdk.{}](app, func(ctx context.Context, e sdk.Envelope, d messages.OrdersCancelled) error {{ return nil }})"
    uses = [
        "messages.Publish[sdk.Option](ctx, app, messages.OrdersCancelled{})",
        line.format("Handle", "Handler"),
        "_ = messages.BillingInvoiceIssue{}",
    ]
    written(share.part, tmp_path, {"service": "warehouse", **share.urns}, sdk=SDK,
            **{f"wrong{n}": _AROUND % (n, line) for n, line in enumerate(uses)})  # fmt: skip
    built = go(tmp_path, "build", "./...")
    assert refused(built.stderr) == {0, 2}, built.stderr
    assert "isProduced" in built.stderr
