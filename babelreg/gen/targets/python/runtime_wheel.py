"""The wheel of ``babelreg-runtime``, and the requirement that names its file and its SHA-256.

No index has the wheel yet, and anyone could register its bare name there. So whoever installs a generated package has
``babelreg runtime`` write the file, and pip compares it with the checksum. Each babelreg of one version writes the same
bytes, on every machine: a fixed time, a fixed order, and no compression, which differs between versions of zlib.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from babelreg import __version__
from babelreg.errors import BabelregError
from babelreg.gen.cache.function_cache import ANSWERS
from babelreg.gen.python_code import requirements

_PACKAGE = "babelreg_runtime"
_INFO = f"{_PACKAGE}-{__version__}.dist-info"
ABOUT = """\
Requirements of this package. `babelreg runtime` writes the file of babelreg-runtime into the current folder;
run pip in the same folder: babelreg runtime && pip install -r PATH/requirements.txt"""
"""The comment above the requirement."""

_TIME = (2020, 2, 2, 0, 0, 0)
_SHA256 = re.compile(r"[0-9a-f]{64}\Z")
_METADATA = f"""\
Metadata-Version: 2.4
Name: {requirements.DISTRIBUTION}
Version: {__version__}
Summary: The runtime of Python packages that babelreg generates for BabelQueue messages.
Project-URL: Homepage, https://github.com/babelreg/babelreg
License-Expression: MIT
License-File: LICENSE
Classifier: Development Status :: 4 - Beta
Classifier: Programming Language :: Python :: 3
Classifier: Typing :: Typed
Requires-Python: >=3.11
"""
_README = f"""\
# {requirements.DISTRIBUTION}

The runtime of Python packages that [babelreg](https://github.com/babelreg/babelreg) generates: producers, consumers and
the contract of messages. A service installs it through the `requirements.txt` of its generated package; babelreg itself
is not needed at run time.
"""
_WHEEL = f"""\
Wheel-Version: 1.0
Generator: babelreg ({__version__})
Root-Is-Purelib: true
Tag: py3-none-any
"""


def wheel_name() -> str:
    """Return the name of the file."""
    return f"{_PACKAGE}-{__version__}-py3-none-any.whl"


def requirement(extras: Sequence[str]) -> str:
    """Return the requirement for pip. The file is in the folder where pip runs."""
    file = f"file://${{PWD}}/{wheel_name()}#sha256={_sha256()}"
    return f"{requirements.DISTRIBUTION}[{','.join(extras)}] @ {file}"


def wheel_bytes() -> bytes:
    """Return the wheel. Raises BabelregError if the installation of babelreg is broken."""
    import io
    import zipfile

    from babelreg.gen.targets.python.runtime_package import package_files

    files = [*sorted(package_files()), *_information()]
    record = "".join(f"{path},{_checksum(text)},{len(text.encode())}\n" for path, text in files)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for path, text in [*files, (f"{_INFO}/RECORD", f"{record}{_INFO}/RECORD,,\n")]:
            entry = zipfile.ZipInfo(path, _TIME)
            entry.external_attr = 0o100644 << 16
            entry.create_system = 3
            archive.writestr(entry, text.encode())
    return buffer.getvalue()


def _sha256() -> str:
    question = f"sha256 {wheel_name()}"
    if not _SHA256.match(ANSWERS.get(question, "")):
        ANSWERS[question] = hashlib.sha256(wheel_bytes()).hexdigest()
    return ANSWERS[question]


def _information() -> Iterator[tuple[str, str]]:
    yield f"{_INFO}/METADATA", f"{_METADATA}{''.join(_needs())}Description-Content-Type: text/markdown\n\n{_README}"
    yield f"{_INFO}/WHEEL", _WHEEL
    yield f"{_INFO}/licenses/LICENSE", _license()


def _needs() -> Iterator[str]:
    for need in requirements.CONTRACT:
        yield f"Requires-Dist: {need}\n"
    for extra, needs in {"broker": requirements.BROKER, **requirements.MODELS, **requirements.OPTIONAL}.items():
        yield f"Provides-Extra: {extra}\n"
        for need in needs:
            yield f"Requires-Dist: {need}; extra == '{extra}'\n"


def _license() -> str:
    """Return the text of the licence: inside the package in a wheel, next to it in the repository."""
    package = Path(__file__).resolve().parents[3]
    for candidate in (package / "LICENSE", package.parent / "LICENSE"):
        if candidate.is_file():
            return candidate.read_text("utf-8")
    raise BabelregError("the file LICENSE of babelreg is missing", fix="pip install --force-reinstall babelreg")


def _checksum(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return "sha256=" + base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
