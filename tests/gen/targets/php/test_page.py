"""The service of docs/php.md runs with the SDK's surface, and prints what the page shows. Needs PHP 8.2 or later."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from php_project import SDK, php

pytestmark = pytest.mark.servers

PAGE = (Path(__file__).resolve().parents[4] / "docs/php.md").read_text("utf-8")

# What Composer would install and write: the SDK, a client of Redis with its lists in memory, and an autoloader.
_VENDOR = r"""<?php

declare(strict_types=1);

namespace Predis {
    final class Client
    {
        /** @var array<string, list<string>> */
        private array $lists = [];

        public function __construct(public readonly string $url)
        {
        }

        /** @param list<string> $values */
        public function rpush(string $key, array $values): void
        {
            $this->lists[$key] = [...$this->lists[$key] ?? [], ...$values];
        }

        public function rpoplpush(string $from, string $to): ?string
        {
            $value = array_pop($this->lists[$from]);
            if ($value !== null) {
                $this->lists[$to][] = $value;
            }

            return $value;
        }

        public function lrem(string $key, int $count, string $value): int
        {
            assert($this->lists[$key] === [$value]);

            return $count;
        }
    }
}

namespace BabelQueue\Transport {
    final class RedisTransport implements \BabelQueue\Contracts\Transport
    {
        public function __construct(private readonly \Predis\Client $client, private readonly string $queue = 'default')
        {
        }

        public function publish(string $payload, ?string $queue = null): ?string
        {
            $this->client->rpush($queue ?? $this->queue, [$payload]);

            return null;
        }
    }
}

namespace {
    spl_autoload_register(static function (string $class): void {
        foreach (json_decode((string) file_get_contents('composer.json'), true)['autoload']['psr-4'] as $prefix => $folder) {
            if (str_starts_with($class, $prefix)) {
                require $folder . strtr(substr($class, strlen($prefix)), '\\', '/') . '.php';
            }
        }
    });
}
"""


def test_the_service_of_the_page_runs_and_prints_what_the_page_shows(tmp_path):
    for command in (["init", "registry", "-q"], ["gen", "php", "--out", "src/Messages"]):
        subprocess.run([sys.executable, "-m", "babelreg", *command], cwd=tmp_path, check=True, capture_output=True)
    (settings,) = re.findall(r"cat > composer.json <<'END'\n(.*?)^END$", PAGE, re.S | re.M)
    (program,) = re.findall(r"cat > service.php <<'END'\n(.*?)^END$", PAGE, re.S | re.M)
    (shown,) = re.findall(r"^php service.php\n```\n\n```text\n(.*?)^```$", PAGE, re.S | re.M)
    assert json.loads(settings)["require"]["php"] == "^8.2"
    (tmp_path / "composer.json").write_text(settings, "utf-8")
    (tmp_path / "service.php").write_text(program, "utf-8")
    (tmp_path / "vendor").mkdir()
    sdk = SDK.read_text("utf-8").replace("declare(strict_types=1);", "", 1)
    (tmp_path / "vendor/sdk.php").write_text(sdk, "utf-8")
    autoload = _VENDOR.replace("declare(strict_types=1);", "", 1).replace(
        "namespace {", "namespace {\n    require_once __DIR__ . '/sdk.php';", 1
    )
    (tmp_path / "vendor/redis.php").write_text(autoload, "utf-8")
    (tmp_path / "vendor/autoload.php").write_text(
        "<?php\nrequire_once __DIR__ . '/sdk.php';\nrequire_once __DIR__ . '/redis.php';\n"
    )
    ran = php(tmp_path, "-d", "zend.assertions=1", "service.php")
    assert (ran.stdout, ran.stderr) == (shown, "")
