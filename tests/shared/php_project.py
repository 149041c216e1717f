"""Generated PHP classes beside a stand-in for the SDK, run by the installed PHP (8.2 or later), and by PHPStan where it is.

No registry of packages is asked: PHP's own has the SDK and PHPStan, and machines without it run these tests, too.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

from babelreg.gen.targets.php import target

SDK = Path(__file__).with_name("php_sdk.php")

_AUTOLOAD = r"""<?php
declare(strict_types=1);
require_once __DIR__ . '/sdk.php';
spl_autoload_register(static function (string $class): void {
    $path = __DIR__ . '/src/' . str_replace('\\', '/', $class) . '.php';
    if (is_file($path)) {
        require $path;
    }
});
set_error_handler(static function (int $level, string $text, string $file, int $line): never {
    throw new ErrorException($text, 0, $level, $file, $line);
});
"""


def written(registry: Any, folder: Path, options: dict[str, Any] | None = None, **texts: str) -> None:
    """Write the classes, the SDK, ``autoload.php``, and a script ``<name>.php`` for each of ``texts``."""
    root = folder / "src/Messages"
    for file in target.files(registry, options or {}):
        path = root / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(file.text, "utf-8")
    (folder / "sdk.php").write_text(SDK.read_text("utf-8"), "utf-8")
    (folder / "autoload.php").write_text(_AUTOLOAD)
    for name, text in texts.items():
        (folder / f"{name}.php").write_text(text, "utf-8")


def php(folder: Path, *args: str, text: str = "") -> subprocess.CompletedProcess[str]:
    """Run ``php`` in ``folder`` with ``text`` as its input. Fails without PHP: these tests need it."""
    command = shutil.which("php")
    assert command, "install PHP, version 8.2 or later: `apt-get install php-cli php-mbstring php-redis`"
    # Without a php.ini, and so with the defaults of PHP itself.
    plain = [command, "-d", "memory_limit=1G", "-d", "display_errors=stderr", "-d", "opcache.enable_cli=0"]
    return subprocess.run(
        [*plain, *args], cwd=folder, input=text, capture_output=True, text=True, timeout=500, check=False
    )


def phpstan() -> str | None:
    """Return the command of PHPStan, the path in BABELREG_PHPSTAN or that on the search path; None without it."""
    return os.environ.get("BABELREG_PHPSTAN") or shutil.which("phpstan")


def phpstan_errors(folder: Path, *paths: str) -> dict[str, list[str]]:
    """Return what PHPStan's highest level finds in ``paths``, by file relative to ``folder``. It must be installed."""
    command = phpstan()
    assert command, "install PHPStan, or name its command in BABELREG_PHPSTAN"
    lines = ["parameters:", "    level: max", "    tmpDir: cache", "    parallel: {maximumNumberOfProcesses: 1}",
             "    scanFiles: [sdk.php]", "    scanDirectories: [src]", "    paths:",
             *(f"        - {path}" for path in paths)]  # fmt: skip
    (folder / "phpstan.neon").write_text("\n".join(lines) + "\n")
    done = subprocess.run(
        [command, "analyse", "-c", "phpstan.neon", "--no-progress", "--error-format=json"],
        cwd=folder, capture_output=True, text=True, timeout=900, check=False,
    )  # fmt: skip
    assert done.stdout.startswith("{"), done.stdout + done.stderr
    result = json.loads(done.stdout)
    assert result["errors"] == [], result["errors"]
    return {
        os.path.relpath(name, folder): [each["message"] for each in file["messages"]]
        for name, file in dict(result["files"]).items()
    }
