"""The ``babelreg`` program, also as ``python -m babelreg``.

Nothing is imported here before Ctrl-C is caught: what libraries do when an import is interrupted is out of our hands.
"""

from __future__ import annotations

import gc
import os
import signal

__all__ = ["main"]


def main() -> None:
    """Run the command line of this process, and exit."""
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _stop)
    # Hundreds of modules are imported, which is no garbage.
    gc.set_threshold(100_000, 20, 100)
    from babelreg.cli import main as run

    run()


def _stop(number: int, frame: object) -> None:
    """End at once: no command has begun, so there is nothing to clean up."""
    clear = b"\r\x1b[K" if os.isatty(2) else b""
    os.write(2, clear + b"babelreg: stopped\n")
    os._exit(128 + number)


if __name__ == "__main__":
    main()
