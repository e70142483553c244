"""Splits documents by the splitters of others, and searches each set of chunks: run in an environment of its own.

In, on standard input: ``{"documents": [text], "ours": {name: [chunk]}, "questions": [text], "top": 5}``. Out:
``{search: {name: [[chunk], ...]}}``, the chunks found for each question, best first; of ours the numbers of all, in
their order. Searched by BM25 (rank_bm25), and by the static embeddings that the package wordllama ships with it (256
dimensions, cosine).
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

_TOKEN = re.compile(r"[A-Za-z\u00c0-\u024f]{1,10}|[^\W\d_]{1,2}|\d{1,3}|[^\w\s]{1,4}|_{1,4}|\n\s*")
_WORD = re.compile(r"\d+(?:\.\d+)*|\(\w{1,5}\)|\w+")
_OVERLAP = 8  # an overlap of an eighth, as the loader's chunker has


def count_tokens(text: str) -> int:
    """Count as `rori_spiders.corpus.auditing.chunks.estimate_tokens` does: equal budgets for all."""
    return len(_TOKEN.findall(text))


def split_by_langchain(documents: list[str], tokens: int) -> dict[str, list[str]]:
    """The chunks of each splitter at this size."""
    from langchain_text_splitters import MarkdownHeaderTextSplitter, RecursiveCharacterTextSplitter

    fixed = RecursiveCharacterTextSplitter(
        chunk_size=tokens, chunk_overlap=tokens // _OVERLAP, length_function=count_tokens
    )
    headers = MarkdownHeaderTextSplitter([("#" * n, f"h{n}") for n in range(1, 5)], strip_headers=False)
    by_header = []
    for text in documents:
        for section in headers.split_text(text):
            path = " > ".join(section.metadata.values())
            by_header += [f"[Section: {path}]\n\n{part}" for part in fixed.split_text(section.page_content)]
    return {
        f"fixed size, {tokens} tokens": [part for text in documents for part in fixed.split_text(text)],
        f"markdown headers, {tokens} tokens": by_header,
    }


def split_by_llama_index(documents: list[str], tokens: int) -> dict[str, list[str]]:
    """LlamaIndex: sentences up to this size, and sections of markdown that are cut so, with their heading path."""
    from llama_index.core import Document
    from llama_index.core.node_parser import MarkdownNodeParser, SentenceSplitter

    sentences = SentenceSplitter(
        chunk_size=tokens, chunk_overlap=tokens // _OVERLAP, tokenizer=_TOKEN.findall, include_metadata=False
    )
    by_header = []
    for text in documents:
        for node in MarkdownNodeParser().get_nodes_from_documents([Document(text=text)]):
            path = str(node.metadata.get("header_path", "")).strip("/").replace("/", " > ")
            by_header += [f"[Section: {path}]\n\n{part}" for part in sentences.split_text(node.get_content())]
    return {
        f"LlamaIndex sentences, {tokens} tokens": [part for text in documents for part in sentences.split_text(text)],
        f"LlamaIndex markdown, {tokens} tokens": by_header,
    }


def split_by_chonkie(documents: list[str], tokens: int) -> dict[str, list[str]]:
    """chonkie: its recursive chunker, which knows markdown by its recipe, written out here."""
    from chonkie import RecursiveChunker, RecursiveLevel, RecursiveRules

    headings = ["\n# ", "\n## ", "\n### ", "\n#### "]
    levels = [*([mark] for mark in headings), ["\n\n"], ["\n"], [". ", "! ", "? "]]
    rules = RecursiveRules(
        [*(RecursiveLevel(delimiters=one, include_delim="next") for one in levels), RecursiveLevel()]
    )
    chunker = RecursiveChunker(tokenizer=count_tokens, chunk_size=tokens, rules=rules)
    return {f"chonkie recursive, {tokens} tokens": [chunk.text for text in documents for chunk in chunker(text)]}


def rank_by_words(chunks: list[str], questions: list[str]) -> list[list[int]]:
    """The numbers of all chunks for each question, best first, by BM25."""
    from rank_bm25 import BM25Okapi

    index = BM25Okapi([_WORD.findall(chunk.lower()) for chunk in chunks])
    return [(-index.get_scores(_WORD.findall(one.lower()))).argsort(kind="stable").tolist() for one in questions]


def rank_by_meaning(chunks: list[str], questions: list[str]) -> list[list[int]]:
    """The numbers of all chunks for each question, best first, by wordllama's embeddings."""
    import wordllama

    packaged = Path(wordllama.__file__).parent  # weights and tokenizer are in the wheel
    model = wordllama.WordLlama.load(cache_dir=packaged, disable_download=True)
    held, wanted = model.embed(chunks, norm=True), model.embed(questions, norm=True)
    return [(-row).argsort(kind="stable").tolist() for row in wanted @ held.T]


def main() -> None:
    """Read the request, print the answer."""
    given: dict[str, Any] = json.load(sys.stdin)
    sets: dict[str, list[str]] = dict(given["ours"])
    for tokens in given["sizes"]:
        for split in (split_by_langchain, split_by_llama_index, split_by_chonkie):
            sets |= split(given["documents"], tokens)
    searches = {"BM25": rank_by_words, "wordllama": rank_by_meaning}
    found: dict[str, dict[str, list[list[Any]]]] = {name: {} for name in searches}
    for name, rank in searches.items():
        for of, chunks in sets.items():
            ranked = rank(chunks, given["questions"])
            found[name][of] = (
                ranked if of in given["ours"] else [[chunks[n] for n in one[: given["top"]]] for one in ranked]
            )
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
