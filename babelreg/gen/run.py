"""One run of ``babelreg gen``: the files of one target, written or compared."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from babelreg.gen.targets import TARGETS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from babelreg.finding import Finding
    from babelreg.gen.cache.output_cache import OutputCache
    from babelreg.gen.file_list import FileList
    from babelreg.gen.hooks import RunPlace
    from babelreg.gen.target import File
    from babelreg.gen.write import WriteResult
    from babelreg.load.files.tree import Tree
    from babelreg.model import Registry


class PinnedState(Protocol):
    """The share of a service in a registry, in the state that its repository pins.

    ``inputs`` are the inputs of the files except those of the registry. ``registry_name`` is the name of a registry
    that was fetched, ``newest_folder`` the folder of its newest state. ``moved`` is True, once it was opened, if the
    folder of the run no longer has the pinned state.
    """

    inputs: Sequence[str]
    moved: bool

    @property
    def registry_name(self) -> str | None: ...

    @property
    def newest_folder(self) -> Path: ...

    def opened(self, tree: Tree, *, outdated: bool) -> Registry | None:
        """Return the share, or, with ``outdated``, None if the pinned state cannot be found."""
        ...

    def options(self) -> Mapping[str, Any]:
        """Return the options of ``files`` about the service."""
        ...


class _Generated(NamedTuple):
    """The files of one run, and the list of them."""

    file_list: FileList
    files: list[File]


class GenRun:
    """One run of a target; skips generation when nothing has changed.

    ``given`` are the options of the command line; with ``share`` the files are those of one service; with ``anew`` the
    cache and the checksums in files are ignored. After a run, ``model`` is the registry, ``unsupported`` are the
    reasons by URN of its messages that no files can be generated from, and ``findings`` are those of the target;
    ``complete`` is False if an unsupported message stopped the run.
    """

    def __init__(
        self, target: str, given: dict[str, Any], place: RunPlace, share: PinnedState | None, *, anew: bool
    ) -> None:
        from babelreg import load
        from babelreg.gen.cache.generator_fingerprint import generator_fingerprint

        self.name, self.target, self.given, self.place, self.share = target, TARGETS[target], given, place, share
        self.registry: Tree = load.folder(place.registry)
        fingerprint = generator_fingerprint()
        self.anew = anew
        self.model: Registry | None = None
        self.unsupported: Mapping[str, str] = {}
        self.findings: list[Finding] = []
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
        if self.target.hooks.outside_state is not None:
            inputs.append(self.target.hooks.outside_state(self.place.registry))
        return OutputCache(CacheStore.of("gen", "outputs"), files, [key, self.name, *inputs])

    def write(self) -> WriteResult:
        """Write the files; nothing where an unsupported message stops the run."""
        from babelreg.gen.file_list import list_name
        from babelreg.gen.write import WriteResult, write

        out = self.place.out
        unchanged = self.cache.unchanged(out) if self.cache else None
        if unchanged is not None:
            return WriteResult((), tuple(path for path in unchanged if not path.endswith(list_name(self.name))), ())
        with self._cached_answers():
            generated = self._generated()
            if generated is None:
                return WriteResult((), (), ())
            result = write(out, generated.file_list, generated.files, self.generator, anew=self.anew)
        self._store(generated)
        return result

    def check(self, fix: str) -> list[Finding]:
        """Compare the files on disk; ``fix`` is the command that writes them."""
        from babelreg.gen.write import check

        out = self.place.out
        if self.cache and self.cache.unchanged(out) is not None:
            return []
        with self._cached_answers():
            generated = self._generated(outdated=True)
            if generated is None:
                return []
            findings = check(out, generated.file_list, generated.files, fix, self.generator, anew=self.anew)
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
        found.
        """
        from babelreg.finding import shown_folder
        from babelreg.gen.file_list import FileList
        from babelreg.gen.option import resolve

        hooks = self.target.hooks
        model = self._opened(outdated=outdated)
        if model is None:
            return None
        options = resolve(self.name, self.target.options, model, self.given)
        supported, left_out = self._supported(model)
        if supported is None:
            self.complete = False
            return None
        self.findings = [finding.below(shown_folder(model.root)) for finding in hooks.findings(model)]
        service = self.share.options() if self.share else {}
        inputs = hooks.inputs(supported, options, self.place)
        files = list(self.target.files(supported, {**options, **service, **left_out, **inputs}))
        folder = hooks.own_folder(options)
        return _Generated(FileList(self.name, folder, self._registry_name(folder)), files)

    def _opened(self, *, outdated: bool) -> Registry | None:
        """Return the registry, or the share of the service in it."""
        from babelreg import load
        from babelreg.load.registry_error import sound

        if self.share is not None:
            return self.share.opened(self.registry, outdated=outdated)
        return sound(load.registry(self.place.registry, self.registry))

    def _supported(self, model: Registry) -> tuple[Registry | None, Mapping[str, Any]]:
        """Return the registry without unsupported messages, and the option of the target that lists them."""
        from babelreg.gen.unsupported import unsupported_messages

        reasons = unsupported_messages(model, self.target)
        self.model, self.unsupported = model, reasons
        if not reasons:
            return model, {}
        if self.target.hooks.unsupported is None:
            return None, {}
        messages = tuple(message for message in model.messages if message.urn not in reasons)
        return replace(model, messages=messages), {"left_out": reasons}

    def _registry_name(self, folder: str = "") -> str:
        """Return the name of the registry for the list of files in ``folder`` of the output folder."""
        from babelreg.gen.file_list import registry_name

        fetched = self.share.registry_name if self.share else None
        root = self.share.newest_folder if self.share else self.place.registry
        return fetched or registry_name(root, self.place.out / folder)

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
