"""What an index must do to have the chunks of a version; and that the recipes of the guide are code."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from benchmarks.chunk_recipes import read_recipes
from rori_spiders.corpus.loader.chunk_changes import METADATA, chunk_changes
from rori_spiders.corpus.loader.source import open_version
from rori_spiders.exceptions import UsageError
from tests.corpus.publishing.conftest import Corpus, corpus, ledger
from tests.corpus.publishing.factories import DOMAIN

if TYPE_CHECKING:
    from rori_spiders.corpus.chunks.chunk_file import ChunkLine

__all__ = ["corpus", "ledger"]
LAW = [f"({letter}) *Rule {letter}.* " + f"What {letter} asks of a lender. " * 30 for letter in "abcde"]


def site(law: list[str], other: str) -> dict[str, str]:
    return {"law": "\n\n".join(["# Part 9", "## § 9.1 Duties.", *law]), other: f"# {other}\n\nA page."}


def test_chunk_changes_brings_an_index_from_version_to_version(corpus: Corpus, tmp_path: Path) -> None:
    corpus.publish(site(LAW, "old"))
    corpus.publish(site([LAW[0], LAW[1].replace("asks", "wants often"), *LAW[2:]], "new"), "2" * 36, reason="all of it")
    folder = f"{tmp_path}/staged/domains/{DOMAIN}/corpora"
    index: dict[str, ChunkLine] = {}
    counts = []
    for name in ("v1", "v1", "v2", "v2"):
        version = open_version(f"{folder}/{name}", DOMAIN)
        changes = chunk_changes(version, {one.id: one.content_hash for one in index.values()})
        counts.append((len(changes.new), len(changes.updated), len(changes.removed)))
        index |= {one.id: one for one in (*changes.new, *changes.updated)}
        for removed in changes.removed:
            del index[removed]
        assert index == {one.id: one for one in version.chunk_lines() or ()}
    assert counts == [(6, 0, 0), (0, 0, 0), (2, 4, 2), (0, 0, 0)]
    assert set(next(iter(index.values())).model_dump()) > METADATA


def test_chunk_changes_version_without_chunks_is_refused(corpus: Corpus, tmp_path: Path) -> None:
    corpus.publish(site(LAW, "old"))
    version = open_version(f"{tmp_path}/staged/domains/{DOMAIN}/corpora/v1", DOMAIN)
    bare = type(version)(version.manifest.model_copy(update={"chunks": None}), version.prefix, version.files)
    with pytest.raises(UsageError, match=r"version 1 of .* has no chunks"):
        chunk_changes(bare, {})


def test_recipes_of_the_guide_compile() -> None:
    recipes = read_recipes((Path(__file__).parents[3] / "docs" / "how-to" / "load-chunks.md").read_text("utf-8"))
    assert list(recipes) == ["pgvector", "Qdrant", "Chroma", "LanceDB", "OpenSearch"]
    for name, code in recipes.items():
        compile(code, name, "exec")
        assert all(f"changes.{one}" in code for one in ("new", "updated", "removed")), name
