"""URNs in source code of any language, against what the registry declares.

Files are read as text, never run or parsed whole: comments are passed over, string literals are looked at, and the call
around a literal tells, where it is one of an SDK, whether the URN is produced or consumed. Doubt is no finding.
"""

from babelreg.scan.files import SourceFiles, source_files
from babelreg.scan.scanner import Scanned, scan
from babelreg.scan.use import UrnUse

__all__ = ["Scanned", "SourceFiles", "UrnUse", "scan", "source_files"]
