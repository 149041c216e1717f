"""One run of ``babelreg gen``: the files of one target, written or compared."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from babelreg.cli.shared.options import open_tree, sound

if TYPE_CHECKING:
    from collections.abc import Mapping

    from babelreg.cli.shared.gen_service import Part
    from babelreg.finding import Finding
    from babelreg.gen import File, Target, WriteResult
    from babelreg.gen.cache.output_cache import OutputCache
    from babelreg.gen.file_list import FileList
    from babelreg.load.files.tree import Tree
    from babelreg.model import Registry

__all__ = ["GenRun"]


class _Made(NamedTuple):
    """The files of one run, and the list of them."""

    listing: FileList
    files: list[File]


class GenRun:
    """One target, made from the registry in ``root`` into ``out``: nothing is made where all stands already.

    ``given`` are the options of the command line; with ``part`` it is made for one service; with ``anew`` no file is
    taken for what it says of itself. After a run, ``unsupported`` are the findings about messages that no files can be
    made from; ``complete`` is False where one of them stopped it.
    """

    def __init__(
        self, target: str, given: dict[str, Any], out: Path, root: Path, part: Part | None, *, anew: bool
    ) -> None:
        from babelreg import load
        from babelreg.gen.cache.generator_fingerprint import maker

        self.target, self.given, self.out, self.root, self.part = target, given, out, root, part
        self.registry: Tree = load.folder(root)
        made_by = maker()
        self.anew = anew
        self.unsupported: list[Finding] = []
        self.complete = True
        self.maker = made_by.mark if made_by else None
        self.cache = self._cache(made_by.key) if made_by and not anew else None
        self.answers_key = [made_by.key] if made_by and self.cache else None

    def _cache(self, key: str) -> OutputCache | None:
        from babelreg.cache.store import CacheStore
        from babelreg.gen.cache.output_cache import OutputCache
        from babelreg.load.files.snapshot import TooLarge, TreeSnapshot

        try:
            self.registry = files = TreeSnapshot(self.registry)
        except (OSError, TooLarge):
            return None
        asked = self.part.asked if self.part else []
        asked = [repr(sorted(self.given.items())), self._registry_name(), *asked]
        return OutputCache(CacheStore.of("gen", "outputs"), files, [key, self.target, *asked])

    def write(self) -> WriteResult:
        from babelreg.gen.write import WriteResult, listing, write

        unchanged = self.cache.unchanged(self.out) if self.cache else None
        if unchanged is not None:
            return WriteResult((), tuple(path for path in unchanged if not path.endswith(listing(self.target))), ())
        with self._cached_answers():
            made = self._made()
            if made is None:
                return WriteResult((), (), ())
            done = write(self.out, made.listing, made.files, self.maker, anew=self.anew)
        self._remember(made)
        return done

    def check(self, fix: str) -> list[Finding]:
        from babelreg.gen import check

        if self.cache and self.cache.unchanged(self.out) is not None:
            return []
        with self._cached_answers():
            made = self._made(anyway=True)
            if made is None:
                return []
            findings = check(self.out, made.listing, made.files, fix, self.maker, anew=self.anew)
        if not findings:
            self._remember(made)
        return findings

    def _made(self, *, anyway: bool = False) -> _Made | None:
        """The files to write; None where an unsupported message stops the run.

        With ``anyway`` also of a state that the registry has left, None where it is lost: part.behind() reports it.
        """
        from babelreg.gen.file_list import FileList
        from babelreg.gen.option import resolve
        from babelreg.gen.targets import TARGETS

        chosen = TARGETS[self.target]
        if self.part is None:
            model = sound(open_tree(self.root, self.registry))
        else:
            found = self.part.opened(self.registry, anyway=anyway)
            if found is None:
                return None
            model = found
        options = resolve(self.target, chosen, model, self.given)
        fit, left_out = self._fit(model, chosen)
        if fit is None:
            self.complete = False
            return None
        roles = self.part.options() if self.part else {}
        files = list(chosen.files(fit, {**options, **roles, **left_out}))
        folder = chosen.own_folder(options)
        return _Made(FileList(self.target, folder, self._registry_name(folder)), files)

    def _fit(self, model: Registry, chosen: Target) -> tuple[Registry | None, Mapping[str, Any]]:
        """The registry that files are made from, and what the target is told of the messages that are left out."""
        from babelreg.gen.unsupported import unsupported_messages

        reasons = unsupported_messages(model, chosen)
        if not reasons:
            return model, {}
        from babelreg.cli.shared.gen_unsupported import findings

        self.unsupported = findings(model, reasons, partial=chosen.unsupported is not None)
        if chosen.unsupported is None:
            return None, {}
        fit = tuple(message for message in model.messages if message.urn not in reasons)
        return replace(model, messages=fit), {"left_out": reasons}

    def _registry_name(self, folder: str = "") -> str:
        """The name of the registry in the list of files that lies in ``folder`` of the output folder."""
        from babelreg.gen.file_list import registry_name

        fetched = self.part.fetched if self.part else None
        root = self.part.newest.folder if self.part else self.root
        return fetched or registry_name(root, self.out / folder)

    def _cached_answers(self) -> AbstractContextManager[None]:
        """Within it, answers of the model generator come from the cache of earlier runs, and new ones go there."""
        from babelreg.cache.store import CacheStore
        from babelreg.gen.cache.answer_cache import cached_answers

        if self.answers_key is None:
            return nullcontext()
        return cached_answers(CacheStore.of("gen", "answers"), self.answers_key)

    def _remember(self, made: _Made) -> None:
        from babelreg.gen.write import complete

        if self.cache and not self.unsupported and not (self.part and self.part.moved):
            self.cache.put(complete(made.listing, made.files, self.maker).values())
