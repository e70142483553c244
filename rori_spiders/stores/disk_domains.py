"""The files of corpora in a folder: ``domains/`` of a ``DiskStore``. See ``base.DomainFiles`` for each method."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rori_spiders.stores.layout import DOMAINS, domain_folder, domain_kind, domain_parts, legible
from rori_spiders.stores.troubles import explained

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rori_spiders.stores.folder import Folder


class DiskDomains:
    """What lies below ``domains/`` of *folder*, the root of a staging area."""

    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self._location = str(folder.root)

    def write_new(self, path: str, data: bytes) -> bool:
        parts, name = domain_parts(path, "version", "run")
        with explained(self._location):
            if self._folder.write_new(parts, name, data):
                return True
            if self._folder.read(parts, name) == data:
                return False
        raise FileExistsError(f"{path} exists in {self._location} with other contents")

    def replace(self, path: str, data: bytes) -> None:
        parts, name = domain_parts(path, "run")
        with explained(self._location):
            self._folder.replace(parts, name, data)

    def exchange(self, path: str, before: bytes | None, data: bytes) -> bool:
        parts, name = domain_parts(path, "latest")
        with explained(self._location), self._folder.locked(parts):
            try:
                there = self._folder.read(parts, name)
            except FileNotFoundError:
                there = None
            if there != before:
                return there == data
            self._folder.replace(parts, name, data)
        return True

    def read(self, path: str) -> bytes:
        parts, name = domain_parts(path)
        with explained(self._location, missing_is_fine=True):
            return self._folder.read(parts, name)

    def paths(self, below: str = DOMAINS) -> Iterator[str]:
        with explained(self._location):
            yield from (path for path, kind in self._walk(domain_folder(below)) if _belongs(path, kind))

    def strays(self) -> Iterator[str]:
        with explained(self._location):
            yield from (legible(path) for path, kind in self._walk((DOMAINS,)) if not _belongs(path, kind))

    def _walk(self, parts: tuple[str, ...]) -> Iterator[tuple[str, str]]:
        """Everything below that is no folder, and what it is."""
        for entry in self._folder.entries(parts):
            if entry.kind == "folder":
                yield from self._walk((*parts, entry.name))
            else:
                yield "/".join((*parts, entry.name)), entry.kind


def _belongs(path: str, kind: str) -> bool:
    return kind == "file" and domain_kind(path) is not None
