"""Generated PHP and generated Python handle what the other sends, over a real Redis. Needs PHP 8.2 or later.

The transport and the consumer are stand-ins for the PHP SDK's, with their commands of Redis (RPUSH, BLMOVE, LREM): PHP's
registry of packages is not asked.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import redis_server
from generated import write_package
from php_project import php, written

from babelreg import load
from babelreg.gen.target import generated_messages
from babelreg.typemap.names import class_name

pytestmark = pytest.mark.servers

ROOT = Path(__file__).resolve().parents[4]

SERVICE = r"""<?php
declare(strict_types=1);
require 'autoload.php';

use BabelQueue\Consume\Dispatcher;
use BabelQueue\Contracts\InboundMessage;
use BabelQueue\Contracts\Transport;
use BabelQueue\Transport\Received;
use Messages\Message;

final class RedisLists implements Transport
{
    private $connection;

    public function __construct(string $address)
    {
        $this->connection = stream_socket_client("tcp://{$address}", timeout: 20);
        stream_set_timeout($this->connection, 60);
    }

    public function publish(string $payload, ?string $queue = null): ?string
    {
        $this->command('RPUSH', $queue ?? 'default', $payload);

        return null;
    }

    public function command(string ...$words): string
    {
        $text = '*' . count($words) . "\r\n";
        foreach ($words as $word) {
            $text .= '$' . strlen($word) . "\r\n{$word}\r\n";
        }
        fwrite($this->connection, $text);
        $line = (string) fgets($this->connection);
        if ($line === '' || str_starts_with($line, '-') || str_starts_with($line, '*')) {
            throw new RuntimeException("{$words[0]}: {$line}");
        }

        return $line[0] === '$' ? substr(stream_get_contents($this->connection, (int) substr($line, 1) + 2), 0, -2) : $line;
    }
}

$show = static function (Message $data, InboundMessage $message): void {
    echo json_encode(['urn' => $message->getUrn(), 'data' => $data], JSON_THROW_ON_ERROR), "\n";
};
$redis = new RedisLists($argv[1]);
$publisher = new Messages\Publisher($redis);
$count = 0;
while (($line = fgets(STDIN)) !== false) {
    $sent = json_decode($line, false, 512, JSON_THROW_ON_ERROR);
    $publisher->publish((Messages\Registry::MESSAGES[$sent->urn])::fromData($sent->data), 'for-python');
    $count++;
}
$dispatcher = (new Messages\Handlers(
%handlers
))->register(new Dispatcher());
for (; $count > 0; $count--) {
    $body = $redis->command('BLMOVE', 'for-php', 'for-php:processing', 'LEFT', 'RIGHT', '20');
    $dispatcher(new Received($body));
    $redis->command('LREM', 'for-php:processing', '1', $body);
}
"""

PYTHON = """
import json, sys
import messages
from babelqueue import BabelQueue

url, lines = sys.argv[1], sys.stdin.read().splitlines()
producers = [getattr(messages, name) for name in messages.__all__ if name.endswith("Producer") and name != "AsyncProducer"]
by_urn = {producer.message.urn: producer for producer in producers}
sender = BabelQueue(url, queue="for-php")
for line in map(json.loads, lines):
    producer = by_urn[line["urn"]]
    producer(sender, queue="for-php").send(producer.message.parse(line["data"]))

consumer = messages.Consumer(BabelQueue(url, queue="for-python"))
for urn, producer in by_urn.items():
    def handle(data, context, message=producer.message):
        print(json.dumps({"urn": message.urn, "data": message.dump(data)}))
    consumer.on(producer.message.model)(handle)
handled = 0
while handled < len(lines):  # a run ends early where the queue is empty
    handled += consumer.run("for-python", max_messages=len(lines) - handled)
"""


def keyed(lines: list[Any]) -> list[str]:
    return sorted(json.dumps(line, sort_keys=True) for line in lines)


def test_each_language_handles_what_the_other_sends(tmp_path):
    registry = load.registry(ROOT / "registry.example")
    documents = [{"urn": m.urn, "data": each.data} for m in generated_messages(registry) for each in m.examples]
    assert len(documents) > 10
    lines = "".join(json.dumps(document) + "\n" for document in documents)
    names = [class_name(message.parsed) for message in generated_messages(registry)]
    handlers = "\n".join(f"    {name[0].lower()}{name[1:]}: $show," for name in names)
    written(registry, tmp_path, service=SERVICE.replace("%handlers", handlers))
    write_package(tmp_path / "python", registry)
    (tmp_path / "python/service.py").write_text(PYTHON, "utf-8")
    with redis_server.running() as server:
        python = subprocess.Popen(
            [sys.executable, "service.py", server.url], cwd=tmp_path / "python",
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        try:
            assert python.stdin is not None
            python.stdin.write(lines)  # both send first
            python.stdin.close()
            python.stdin = None
            address = server.url.removeprefix("redis://").partition("/")[0]
            in_php = php(tmp_path, "service.php", address, text=lines)
            assert in_php.stderr == ""
            in_python, errors = python.communicate(timeout=100)
        finally:
            python.kill()
    by_php, by_python = ([json.loads(line) for line in out.splitlines()] for out in (in_php.stdout, in_python))
    assert keyed(by_php) == keyed(documents)
    assert keyed(by_python) == keyed(documents), errors
