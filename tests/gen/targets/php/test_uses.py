"""PHP and PHPStan take right uses with the SDK's surface, and refuse wrong ones. Needs PHP 8.2 or later.

PHPStan checks the uses where its command is on the path, or in BABELREG_PHPSTAN; PHP itself always runs them.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from php_project import php, phpstan, phpstan_errors, written

from babelreg import load
from babelreg.model.service_subset import share_of

ROOT = Path(__file__).resolve().parents[4]


pytestmark = pytest.mark.servers

needs_phpstan = pytest.mark.skipif(not phpstan(), reason="no `phpstan` on the path, nor in BABELREG_PHPSTAN")

USES = r"""<?php

declare(strict_types=1);

require 'autoload.php';

use BabelQueue\Consume\Dispatcher;
use BabelQueue\Contracts\InboundMessage;
use BabelQueue\Transport\InMemoryTransport;
use BabelQueue\Transport\Received;
use Messages\Common;
use Messages\Handlers;
use Messages\InvalidData;
use Messages\OrdersCreatedV2;
use Messages\Publisher;
use Messages\Registry;

$order = (new OrdersCreatedV2(orderId: 9007199254740993, total: new Common\Money(minor: 1, currency: 'EUR')))
    ->withChannel(OrdersCreatedV2::CHANNEL_WEB)
    ->withLines([new OrdersCreatedV2\Line(sku: 'ABC', qty: 1)])
    ->withShipTo((new Common\Address(line1: 'a', city: 'b', country: 'SE'))->withLine2(null))
    ->withExtra('later', ['deep' => new stdClass()]);

$handlers = new Handlers(ordersCreatedV2: function (OrdersCreatedV2 $data, InboundMessage $message): void {
    $line2 = $data->getShipTo()?->hasLine2() === true ? var_export($data->getShipTo()->getLine2(), true) : 'absent';
    $sku = ($data->getLines() ?? [])[0]->getSku();
    echo "{$message->getUrn()} {$data->getOrderId()} {$data->getTotal()->getCurrency()} {$sku} {$line2}\n";
    echo json_encode([$data->hasEmail(), $data->getEmail(), $data->getExtra()], JSON_THROW_ON_ERROR), "\n";
});

$transport = new InMemoryTransport();
$id = (new Publisher($transport))->publish($order, traceId: '7b3f9c2a-e41d-4f88-9b2a-1c0d5e6f7a8b');
foreach ($transport->queues as $queue => $bodies) {
    foreach ($bodies as $body) {
        $received = new Received($body);
        echo "{$queue} {$received->getTraceId()} ", strlen($id), ' ', json_encode($received->getMeta()['id'] === $id), "\n";
        echo json_encode(json_decode($body)->data, JSON_THROW_ON_ERROR), "\n";
        ($handlers->register(new Dispatcher()))($received);
        $handlers($received);
    }
}

$own = new Messages\Received($transport->queues['orders'][0]);
$received = new Received($own->body);
echo json_encode([$own->getUrn(), $own->getTraceId() === $received->getTraceId(), $own->attempts()], JSON_UNESCAPED_SLASHES), "\n";
echo json_encode([$own->getData() === $received->getData(), $own->getMeta() === $received->getMeta()]), "\n";
foreach (['', '[]', '{"job": "x"}', '{"data": []}', "\xff"] as $body) {
    try {
        new Messages\Received($body);
        echo "taken\n";
    } catch (InvalidData $error) {
        echo $error->getMessage(), "\n";
    }
}

foreach (Registry::INBOXES['warehouse'] as $queue => $urns) {
    echo $queue, ' ', implode(' ', $urns), "\n";
}
echo Registry::QUEUES[OrdersCreatedV2::URN], ' ', Registry::MESSAGES[OrdersCreatedV2::URN], "\n";

$without = $order->withoutChannel()->withoutExtra('later')->withOrderId(1);
echo json_encode([$without->hasChannel(), $order->hasChannel(), $without->getOrderId(), $order->getOrderId()]), "\n";
echo json_encode($order->getExtra() === [] || $order == OrdersCreatedV2::fromJson($order->toJson())), "\n";

$refused = [
    '{"order_id": "1", "total": {"minor": 1, "currency": "EUR"}}',
    '{"order_id": 1, "total": null}',
    '{"order_id": 1.5, "total": {"minor": 1, "currency": "EUR"}}',
    '{"order_id": 1}',
    '{"order_id": 1, "total": {"minor": 1}}',
    '{"order_id": 1, "total": {"minor": 1, "currency": "EUR"}, "lines": [{"sku": "A", "qty": 1}, {"sku": 2}]}',
    '{"order_id": 1, "total": {"minor": 1, "currency": "EUR"}, "lines": {}}',
    '[]',
];
foreach ($refused as $json) {
    try {
        OrdersCreatedV2::fromJson($json);
        echo "taken\n";
    } catch (InvalidData $error) {
        echo $error->getMessage(), "\n";
    }
}
"""
PRINTED = """\
orders 7b3f9c2a-e41d-4f88-9b2a-1c0d5e6f7a8b 36 true
{"order_id":9007199254740993,"total":{"minor":1,"currency":"EUR"},"channel":"web","lines":[{"sku":"ABC","qty":1}],\
"ship_to":{"line1":"a","city":"b","country":"SE","line2":null},"later":{"deep":{}}}
urn:babel:orders:created.v2 9007199254740993 EUR ABC NULL
[false,null,{"later":{"deep":[]}}]
urn:babel:orders:created.v2 9007199254740993 EUR ABC NULL
[false,null,{"later":{"deep":[]}}]
["urn:babel:orders:created.v2",true,0]
[true,true]
data: not in an envelope
data: not in an envelope
data: not in an envelope
data: not in an envelope
data: not in an envelope
warehouse urn:babel:orders:cancelled urn:babel:orders:created.v2
orders Messages\\OrdersCreatedV2
[false,true,1,9007199254740993]
true
order_id: not an integer
total: not an object of its class
order_id: not an integer
total: missing
total.currency: missing
lines[1].sku: not a text
lines: not a list
data: not an object
"""


@pytest.fixture(scope="module")
def example():
    return load.registry(ROOT / "registry.example")


def test_a_service_sends_and_handles_through_the_sdk(example, tmp_path):
    written(example, tmp_path, uses=USES)
    ran = php(tmp_path, "uses.php")
    assert (ran.stdout, ran.stderr) == (PRINTED, "")


@needs_phpstan
def test_phpstan_finds_nothing_in_what_a_service_does(example, tmp_path):
    written(example, tmp_path, uses=USES.replace("json_decode($body)->data", "json_decode($body)"))
    assert phpstan_errors(tmp_path, "uses.php") == {}


_TOTAL = "new Common\\Money(1, 'EUR')"
# True: PHP itself refuses the line when it runs. All of them fail PHPStan.
WRONG = {
    "a required property is missing": ("new OrdersCreatedV2(orderId: 1);", True),
    "no property at all": ("new OrdersCreatedV2();", True),
    "a property is misspelt": (f"new OrdersCreatedV2(orderid: 1, total: {_TOTAL});", True),
    "the name on the wire": (f"new OrdersCreatedV2(order_id: 1, total: {_TOTAL});", True),
    "an optional property in the constructor": (f"new OrdersCreatedV2(1, {_TOTAL}, email: 'a');", True),
    "a nested property is missing": ("new OrdersCreatedV2(1, new Common\\Money(1));", True),
    "text for an integer": (f"new OrdersCreatedV2('1', {_TOTAL});", True),
    "a fraction for an integer": ("$order->withOrderId(1.5);", True),
    "an integer for text": ("$order->withEmail(1);", True),
    "null for what may only be absent": ("$order->withEmail(null);", True),
    "null for an object": ("$order->withTotal(null);", True),
    "an array for an object": ("$order->withTotal(['minor' => 1, 'currency' => 'EUR']);", True),
    "another shared object": ("$order->withTotal(new Common\\Address('a', 'b', 'SE'));", True),
    "an object of another message": ("$order->withTotal(new CustomersRegistered\\Consents());", True),
    "an object for a list": ("$order->withLines(new OrdersCreatedV2\\Line('A', 1));", True),
    "items of another class": ("$order->withLines([new Common\\Money(1, 'EUR')]);", True),
    "arrays for items": ("$order->withLines([['sku' => 'A', 'qty' => 1]]);", True),
    "an array with keys for a list": ("$order->withLines(['a' => new OrdersCreatedV2\\Line('A', 1)]);", True),
    "a time for a text": ("$order->withPlacedAt(new \\DateTimeImmutable());", True),
    "a constant that is none": ("$order->withChannel(OrdersCreatedV2::CHANNEL_FAX);", True),
    "a text that is not listed": ("new OrdersInvoiceRequested(1, 'fax');", True),
    "a required property is taken away": ("$order->withoutOrderId();", True),
    "a required property is asked for": ("$order->hasOrderId();", True),
    "an undeclared property is read": ("$order->getCoupon();", True),
    "an undeclared property is set": ("$order->withCoupon('x');", True),
    "a property is assigned to": ("$order->orderId = 2;", True),
    "the data is assigned to": ("$order->data = new \\stdClass();", True),
    "a URN is assigned to": ("OrdersCreatedV2::URN = 'x';", True),
    "an optional value is used as it is": ("strlen($order->getEmail());", True),
    "an optional object is used as it is": ("$order->getShipTo()->getCity();", True),
    "a nullable text is used as it is": ("strlen((new Common\\Address('a', 'b', 'SE'))->getLine2());", True),
    "a list of texts": ("foreach ($order->getLines() ?? [] as $line) { strlen($line); }", True),
    "a part is sent": (f"$publisher->publish({_TOTAL});", True),
    "an array is sent": ("$publisher->publish(['order_id' => 1]);", True),
    "a URN is sent": ("$publisher->publish(OrdersCreatedV2::URN, $order);", True),
    "no data": ("$publisher->publish();", True),
    "a handler of no message": ("new Handlers(ordersCreate: fn () => null);", True),
    "a handler that is no function": ("new Handlers(ordersCreatedV2: 1);", True),
    "a handler of another message": ("new Handlers(ordersCreatedV2: fn (OrdersCancelled $data) => null);", False),
    "a handler of an array": ("new Handlers(ordersCreatedV2: fn (array $data) => null);", False),
    "a handler that wants more": ("new Handlers(ordersCreatedV2: fn (OrdersCreatedV2 $d, InboundMessage $m, int $x) => 1);", False),
    "a handler that reads an undeclared property": ("new Handlers(ordersCreatedV2: fn (OrdersCreatedV2 $d) => $d->getAmount());", False),
    "the queue of no message": ("echo OrdersCreate::QUEUE;", True),
    "a service that reads nothing": ("echo count(Registry::INBOXES['nobody']);", True),
}  # fmt: skip
_AROUND = r"""<?php

declare(strict_types=1);

namespace Messages;

require_once 'autoload.php';

use BabelQueue\Contracts\InboundMessage;

function wrong%d(OrdersCreatedV2 $order, Publisher $publisher): void
{
    %s
}
"""
_RUN = r"""<?php
declare(strict_types=1);
require 'autoload.php';
$order = (new Messages\OrdersCreatedV2(1, new Messages\Common\Money(1, 'EUR')))
    ->withLines([new Messages\OrdersCreatedV2\Line('A', 1)]);
$publisher = new Messages\Publisher(new BabelQueue\Transport\InMemoryTransport());
for ($number = 0; $number < (int) $argv[1]; $number++) {
    try {
        require "wrong{$number}.php";
        "Messages\\wrong{$number}"($order, $publisher);
        echo "taken\n";
    } catch (Throwable $error) {
        echo $error::class, ': ', strtr($error->getMessage(), "\n", ' '), "\n";
    }
}
"""
_RIGHT = "$order->withEmail('a')->withLines([])->withChannel('fax')->withExtra('x', null); new OrdersInvoiceRequested(1, 'pdf');"


def _with_uses(registry, folder, uses, options=None):
    written(registry, folder, options, run=_RUN, **{f"wrong{n}": _AROUND % (n, line) for n, line in enumerate(uses)})


def test_php_refuses_wrong_uses_when_they_run(example, tmp_path):
    _with_uses(example, tmp_path, [*(line for line, _ in WRONG.values()), _RIGHT])
    done = php(tmp_path, "run.php", str(len(WRONG) + 1))
    assert done.stderr == ""
    results = dict(zip([*WRONG, "right uses"], done.stdout.splitlines(), strict=True))
    taken = {name for name, result in results.items() if result == "taken"}
    assert taken == {"right uses", *(name for name, (_, refused) in WRONG.items() if not refused)}, results
    assert len(results) - len(taken) >= 30
    # For what the case says, not for a fault of the test: no class or function is missing but those that it names.
    assert {name for name, result in results.items() if "not found" in result} == {"the queue of no message"}


@needs_phpstan
def test_wrong_uses_fail_phpstan(example, tmp_path):
    assert len(WRONG) >= 30
    _with_uses(example, tmp_path, [*(line for line, _ in WRONG.values()), _RIGHT])
    names = [f"wrong{n}.php" for n in range(len(WRONG) + 1)]
    found = phpstan_errors(tmp_path, *names)
    assert [names.index(name) for name in names if name not in found] == [len(WRONG)], found


_FOR_SERVICE = [
    "new Handlers(ordersCancelled: fn (OrdersCancelled $data) => null);",
    "new Handlers(ordersCancelled: fn (OrdersCancelled $d) => 1, ordersCreatedV2: fn (OrdersCreatedV2 $d) => 1);",
    "$publisher->publish(new OrdersCancelled(1, 'fraud'));",
    "echo BillingInvoiceIssue::URN;",
]


def test_a_service_sends_and_handles_its_own_messages_alone(example, tmp_path):
    share = share_of(example, "warehouse")
    _with_uses(share.part, tmp_path, _FOR_SERVICE, {"service": "warehouse", **share.urns})
    done = php(tmp_path, "run.php", str(len(_FOR_SERVICE)))
    missing, right, not_produced, not_there = done.stdout.splitlines()
    assert "ArgumentCountError: Too few arguments" in missing or "not passed" in missing
    assert right == "taken"
    assert "must be of type Messages\\Produced, Messages\\OrdersCancelled given" in not_produced
    assert 'Class "Messages\\BillingInvoiceIssue" not found' in not_there
    if phpstan():
        assert sorted(phpstan_errors(tmp_path, *(f"wrong{n}.php" for n in range(4)))) == [
            "wrong0.php", "wrong2.php", "wrong3.php"
        ]  # fmt: skip
