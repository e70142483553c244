"""The version that SOURCE_DIR names, read and checked before anything of it is used."""

from dataclasses import dataclass
from hashlib import sha256

from rori_spiders.corpus.chunks.chunk_file import ChunkLine, read_chunk_lines
from rori_spiders.corpus.publishing.version_manifest import (
    MANIFEST,
    Manifest,
    NotAVersion,
    VersionPage,
    latest_path,
    read_latest,
    read_manifest,
)
from rori_spiders.exceptions import StagingError, UsageError
from rori_spiders.staging.store import DomainFiles
from rori_spiders.staging.store_factory import open_store


@dataclass(frozen=True, slots=True)
class Version:
    """A version whose manifest holds together. ``prefix`` is its folder, below the staging area."""

    manifest: Manifest
    prefix: str
    files: DomainFiles

    def text(self, page: VersionPage) -> str:
        """The file of *page*. Raises StagingError when it is not the one that the manifest names."""
        return self._read(page.path, page.sha256).decode()

    def chunk_lines(self) -> list[ChunkLine] | None:
        """The chunks of the version; None for one that has none. Raises StagingError."""
        chunks = self.manifest.chunks
        return None if chunks is None else list(read_chunk_lines(self._read(chunks.path, chunks.sha256)))

    def reference_lines(self) -> list[bytes] | None:
        """The lines of ``references.jsonl``; None for a version that has none. Raises StagingError."""
        references = self.manifest.references
        return None if references is None else self._read(references.path, references.sha256).splitlines()

    def _read(self, name: str, digest: str) -> bytes:
        path = f"{self.prefix}/{name}"
        try:
            data = self.files.read(path)
        except FileNotFoundError as error:
            raise StagingError(f"{path} is missing: the version is incomplete.") from error
        if sha256(data).hexdigest() != digest:
            raise StagingError(f"{path} does not match its manifest.")
        return data


def open_version(source_dir: str, tenant: str) -> Version:
    """The version in *source_dir*: its folder (``.../domains/{tenant}/corpora/v7``), or ``.../corpora`` for the latest.

    `latest` is read once: what is published meanwhile is loaded the next time. Raises UsageError for another place,
    StagingError for a manifest that does not hold together.
    """
    root, _, below = source_dir.rstrip("/").rpartition("/domains/")
    domain, *rest = below.split("/")
    if not root or domain != tenant or rest[:1] != ["corpora"] or len(rest) > 2:
        raise UsageError(
            f"SOURCE_DIR {source_dir!r} is not the folder of a version of {tenant} (.../domains/{tenant}/corpora/v1)"
        )
    files = open_store(root).domains
    try:
        name = rest[1] if len(rest) == 2 else f"v{read_latest(files.read(latest_path(domain)), domain).version}"
        if not name[1:].isdecimal():
            raise UsageError(f"{name!r} is not a valid version: SOURCE_DIR must end with v1, v2, ...")
        prefix = f"domains/{domain}/corpora/{name}"
        return Version(read_manifest(files.read(f"{prefix}/{MANIFEST}"), domain, int(name[1:])), prefix, files)
    except FileNotFoundError as error:
        raise StagingError(f"No complete version at {source_dir}: its manifest is missing.") from error
    except NotAVersion as error:
        raise StagingError(f"The version at {source_dir} is inconsistent: {error}.") from error
