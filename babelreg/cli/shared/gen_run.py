"""One run of ``babelreg gen``: the files of one target, written or compared."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from babelreg.cli.shared.registry_options import open_tree, shown_root, sound

if TYPE_CHECKING:
    from collections.abc import Mapping

    from babelreg.cli.shared.gen_share import PinnedShare
    from babelreg.finding import Finding
    from babelreg.gen import File, Target, WriteResult
    from babelreg.gen.cache.output_cache import OutputCache
    from babelreg.gen.file_list import FileList
    from babelreg.load.files.tree import Tree
    from babelreg.model import Registry

__all__ = ["GenRun"]


class _Generated(NamedTuple):
    """The files of one run, and the list of them."""

    file_list: FileList
    files: list[File]


class GenRun:
    """One run of a target, from the registry in ``root`` into ``out``; skips generation when nothing has changed.

    ``given`` are the options of the command line; with ``share`` the files are those of one service; with ``anew`` the
    cache and the checksums in files are ignored. After a run, ``unsupported`` are the findings about messages that no
    files can be generated from, ``findings`` also those about owners; ``complete`` is False if one stopped the run.
    """

    def __init__(
        self, target: str, given: dict[str, Any], out: Path, root: Path, share: PinnedShare | None, *, anew: bool
    ) -> None:
        from babelreg import load
        from babelreg.gen.cache.generator_fingerprint import generator_fingerprint

        self.target, self.given, self.out, self.root, self.share = target, given, out, root, share
        self.registry: Tree = load.folder(root)
        fingerprint = generator_fingerprint()
        self.anew = anew or target in ("codeowners", "agents")  # their files are the user's, too
        self.unsupported: list[Finding] = []
        self._unmapped: list[Finding] = []
        self.complete = True
        self.generator = fingerprint.mark if fingerprint else None
        self.cache = self._output_cache(fingerprint.key) if fingerprint and not self.anew else None
        self.answers_key = [fingerprint.key] if fingerprint and self.cache else None

    def _output_cache(self, key: str) -> OutputCache | None:
        from babelreg.cache.store import CacheStore
        from babelreg.gen.cache.output_cache import OutputCache
        from babelreg.load.files.snapshot import TooLarge, TreeSnapshot

        try:
            self.registry = files = TreeSnapshot(self.registry)
        except (OSError, TooLarge):
            return None
        inputs = [repr(sorted(self.given.items())), self._registry_name(), *(self.share.inputs if self.share else ())]
        if self.target == "catalog":
            from babelreg.git.log import position

            inputs.append(repr(position(self.root)))  # its history may be in the files
        return OutputCache(CacheStore.of("gen", "outputs"), files, [key, self.target, *inputs])

    @property
    def findings(self) -> list[Finding]:
        return [*self.unsupported, *self._unmapped]

    def write(self) -> WriteResult:
        """Write the files; nothing where an unsupported message stops the run."""
        from babelreg.gen.file_list import list_name
        from babelreg.gen.write import WriteResult, write

        unchanged = self.cache.unchanged(self.out) if self.cache else None
        if unchanged is not None:
            return WriteResult((), tuple(path for path in unchanged if not path.endswith(list_name(self.target))), ())
        with self._cached_answers():
            generated = self._generated()
            if generated is None:
                return WriteResult((), (), ())
            result = write(self.out, generated.file_list, generated.files, self.generator, anew=self.anew)
        self._store(generated)
        return result

    def check(self, fix: str) -> list[Finding]:
        """Compare the files on disk; ``fix`` is the command that writes them."""
        from babelreg.gen import check

        if self.cache and self.cache.unchanged(self.out) is not None:
            return []
        with self._cached_answers():
            generated = self._generated(outdated=True)
            if generated is None:
                return []
            findings = check(self.out, generated.file_list, generated.files, fix, self.generator, anew=self.anew)
        if not findings:
            self._store(generated)
        return findings

    def texts(self) -> Mapping[str, str]:
        """Return the texts of the files by path, none where an unsupported message stops the run."""
        from babelreg.gen.target import files_by_path

        generated = self._generated()
        return {path: file.text for path, file in files_by_path(generated.files).items()} if generated else {}

    def _generated(self, *, outdated: bool = False) -> _Generated | None:
        """Return the files to write; None where an unsupported message stops the run.

        With ``outdated`` also the files of a pinned state that the registry has left, or None if that state cannot be
        found: PinnedShare.outdated() reports it.
        """
        from babelreg.gen.file_list import FileList
        from babelreg.gen.option import resolve
        from babelreg.gen.targets import TARGETS

        target = TARGETS[self.target]
        if self.share is None:
            model = sound(open_tree(self.root, self.registry))
        else:
            pinned = self.share.opened(self.registry, outdated=outdated)
            if pinned is None:
                return None
            model = pinned
        options = resolve(self.target, target.options, model, self.given)
        supported, left_out = self._supported(model, target)
        if supported is None:
            self.complete = False
            return None
        if self.target == "codeowners":
            from babelreg.gen.targets.codeowners.block import unmapped_owners

            self._unmapped = [finding.below(shown_root(model)) for finding in unmapped_owners(model)]
        roles = self.share.options() if self.share else {}
        files = list(target.files(supported, {**options, **roles, **left_out, **self._handed_over(supported, options)}))
        folder = target.own_folder(options)
        return _Generated(FileList(self.target, folder, self._registry_name(folder)), files)

    def _supported(self, model: Registry, target: Target) -> tuple[Registry | None, Mapping[str, Any]]:
        """Return the registry without unsupported messages, and the option of the target that lists them."""
        from babelreg.gen.unsupported import unsupported_messages

        reasons = unsupported_messages(model, target)
        if not reasons:
            return model, {}
        from babelreg.cli.shared.gen_unsupported import findings

        self.unsupported = findings(model, reasons, partial=target.unsupported is not None)
        if target.unsupported is None:
            return None, {}
        messages = tuple(message for message in model.messages if message.urn not in reasons)
        return replace(model, messages=messages), {"left_out": reasons}

    def _handed_over(self, model: Registry, options: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the options that a target cannot find itself: of catalog those that other verbs compute."""
        if self.target == "agents":
            return {"claude": (self.out / "CLAUDE.md").is_file()}
        if self.target != "catalog":
            return {}
        from babelreg.cli.catalog.inputs import catalog_inputs

        return catalog_inputs(model, options, self.root)

    def _registry_name(self, folder: str = "") -> str:
        """Return the name of the registry for the list of files in ``folder`` of the output folder."""
        from babelreg.gen.file_list import registry_name

        fetched = self.share.fetched if self.share else None
        root = self.share.newest.folder if self.share else self.root
        return fetched or registry_name(root, self.out / folder)

    def _cached_answers(self) -> AbstractContextManager[None]:
        """Use cached answers of the model generator inside the block, and store new ones at its end."""
        from babelreg.cache.store import CacheStore
        from babelreg.gen.cache.function_cache import cached_answers

        if self.answers_key is None:
            return nullcontext()
        return cached_answers(CacheStore.of("gen", "answers"), self.answers_key)

    def _store(self, generated: _Generated) -> None:
        from babelreg.gen.write import with_list

        if self.cache and not self.unsupported and not (self.share and self.share.moved):
            self.cache.put(with_list(generated.file_list, generated.files, self.generator).values())
