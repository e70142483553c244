"""What an index of chunks must add, update and remove to have those of a version: docs/how-to/load-chunks.md.

In: the version, and the id of each chunk that the index has, with its ``content_hash``. By ids alone: a version may be
skipped, a load repeated, and chunks of removed documents go with the others.
"""

from collections.abc import Mapping
from typing import NamedTuple

from rori_spiders.corpus.chunks.chunk_file import ChunkLine
from rori_spiders.corpus.loader.source import Version
from rori_spiders.exceptions import UsageError

#: The keys of a chunk that fit an index as they are: texts and numbers.
METADATA = frozenset({"doc_id", "source_url", "title", "content_hash", "kind", "designation", "start", "end", "sha256"})


class ChunkChanges(NamedTuple):
    """``new`` is to be embedded. Of ``updated`` the text, so the vector, is the same; its place is not."""

    new: list[ChunkLine]
    updated: list[ChunkLine]
    removed: list[str]


def chunk_changes(version: Version, held: Mapping[str, str]) -> ChunkChanges:
    """Compare the chunks of *version* with those *held*: id -> content hash. Raises StagingError, UsageError."""
    lines = version.chunk_lines()
    if lines is None:
        raise UsageError(
            f"version {version.manifest.version} of {version.manifest.domain} has no chunks: publish again"
        )
    return ChunkChanges(
        [one for one in lines if one.id not in held],
        [one for one in lines if held.get(one.id, one.content_hash) != one.content_hash],
        sorted(held.keys() - {one.id for one in lines}),
    )
