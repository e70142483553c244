"""The chunks of a version: their lines, what a version takes over from the one before, and their counts."""

from __future__ import annotations

import builtins
import io
import json
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import pytest

from rori_spiders.corpus.chunks import chunk_file, token_counts
from rori_spiders.corpus.documents.document import parse_document
from rori_spiders.corpus.publishing import chunk_files
from rori_spiders.exceptions import UsageError
from tests.corpus.publishing.conftest import Corpus, corpus, ledger
from tests.corpus.publishing.factories import DOMAIN, NOW, SITE, is_whole, request

if TYPE_CHECKING:
    from rori_spiders.corpus.chunks.chunk_file import DocumentLines

__all__ = ["corpus", "ledger"]
TEXTS = {**SITE, "law": "# Part 1\n\n## § 1.2 Fees\n\n(a) As 12 CFR 1024.17 says.\n\n(b) A fee."}


def chunk_lines(of: Corpus, version: int) -> list[dict[str, Any]]:
    data = of.store.domains.read(f"domains/{DOMAIN}/corpora/v{version}/chunks.jsonl")
    assert list(map(type, chunk_file.read_chunk_lines(data)))
    return [json.loads(line) for line in data.splitlines()]


def test_published_chunks_are_cut_from_their_documents(corpus: Corpus) -> None:
    corpus.publish(TEXTS)
    manifest = is_whole(corpus.store, 1)
    lines = chunk_lines(corpus, 1)
    assert (manifest["chunks"]["chunks"], manifest["chunks"]["tokenizers"]) == (len(lines), ["estimate"])
    pages = {one["doc_id"]: one for one in manifest["pages"]}
    for line in lines:
        page = pages[line["doc_id"]]
        body = parse_document(corpus.store.domains.read(f"domains/{DOMAIN}/corpora/v1/{page['path']}").decode()).body
        own = body[line["start"] : line["end"]]
        assert sha256(own.encode()).hexdigest() == line["sha256"]
        assert own in line["text"]
        assert line["content_hash"] == page["content_hash"]
    [law] = [one for one in lines if one["citations"]]
    assert [one["citation"] for one in law["citations"]] == ["12 C.F.R. § 1024.17"]


def test_published_chunks_are_the_same_as_parquet(corpus: Corpus) -> None:
    import pyarrow.parquet

    corpus.publish(TEXTS, tokenizers=("o200k_base",))
    data = corpus.store.domains.read(f"domains/{DOMAIN}/corpora/v1/chunks.parquet")
    rows = pyarrow.parquet.read_table(io.BytesIO(data)).to_pylist()
    held = [row | {name: json.loads(row[name]) for name in ("tokens", "citations")} for row in rows]
    assert held == chunk_lines(corpus, 1)


def test_version_without_pyarrow_has_no_parquet(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunk_files, "find_spec", lambda name: None)
    corpus.publish(TEXTS)
    prefix = f"domains/{DOMAIN}/corpora/v1"
    assert "chunk_table" not in json.loads(corpus.store.domains.read(f"{prefix}/manifest.json"))
    assert f"{prefix}/chunks.parquet" not in corpus.store.domains.paths(prefix)


def test_next_version_makes_only_changed_documents_anew(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus.publish(TEXTS)
    made = []

    def counted(document: Any, counters: Any) -> DocumentLines:
        made.append(document.front.title)
        return chunk_file.lines_of_document(document, counters)

    monkeypatch.setattr(chunk_files, "lines_of_document", counted)
    corpus.publish({**TEXTS, "b": "# B\n\nAnother text."}, "2" * 36)
    assert made == ["B"]
    kept = {one["id"] for one in chunk_lines(corpus, 1)} & {one["id"] for one in chunk_lines(corpus, 2)}
    assert len(kept) == len(TEXTS) - 1
    monkeypatch.setattr(chunk_files, "CHUNKER_VERSION", 99)
    corpus.publish({**TEXTS, "c": "# C\n\nAnother text."}, "3" * 36)
    assert len(made) == 1 + len(TEXTS)


def test_rollback_has_the_chunks_of_its_pages(corpus: Corpus) -> None:
    corpus.publish(TEXTS, tokenizers=("o200k_base",))
    corpus.publish({**TEXTS, "b": "# B\n\nAnother text."}, "2" * 36)
    back = request(None, rolled_back_to=1, reason="wrong", approved_by=None, approved_at=None)
    chunk_files_of = {1: chunk_lines(corpus, 1)}
    from rori_spiders.corpus.publishing.publisher import roll_back_version

    assert roll_back_version(corpus.ledger, corpus.store, back, now=NOW).version == 3
    assert chunk_lines(corpus, 3) == chunk_files_of[1]
    assert "o200k_base" not in chunk_lines(corpus, 2)[0]["tokens"]


def test_token_counters_count_by_vocabulary() -> None:
    counters = token_counts.token_counters(token_counts.TOKENIZERS)
    text = "The servicer shall comply with paragraph (c)(1)(i) of this section."
    assert {name: count(text) for name, count in counters.items()} == {
        "estimate": 17, "o200k_base": 18, "cl100k_base": 18, "voyage3_base": 18,
    }  # fmt: skip


def test_token_counters_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    found = builtins.__import__

    def missing(name: str, *rest: Any) -> Any:
        if name == "bpe_openai":
            raise ImportError(name)
        return found(name, *rest)

    monkeypatch.setattr(builtins, "__import__", missing)
    with pytest.raises(UsageError, match=r"pip install 'rori-collector\[tokens\]'"):
        token_counts.token_counters(("o200k_base",))
