"""Splits documents by LangChain's splitters, and searches each set of chunks by BM25: run in an environment of its own.

In, on standard input: ``{"documents": [text], "ours": {name: [chunk]}, "questions": [text], "top": 5}``. Out:
``{name: [[chunk], ...]}``, the chunks found for each question, best first.
"""

from __future__ import annotations

import json
import re
import sys
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


def search(chunks: list[str], questions: list[str], top: int) -> list[list[str]]:
    """The *top* chunks for each question, by BM25."""
    from rank_bm25 import BM25Okapi

    index = BM25Okapi([_WORD.findall(chunk.lower()) for chunk in chunks])
    return [index.get_top_n(_WORD.findall(question.lower()), chunks, n=top) for question in questions]


def main() -> None:
    """Read the request, print the answer."""
    given: dict[str, Any] = json.load(sys.stdin)
    sets: dict[str, list[str]] = dict(given["ours"])
    for tokens in given["sizes"]:
        sets |= split_by_langchain(given["documents"], tokens)
    json.dump({name: search(chunks, given["questions"], given["top"]) for name, chunks in sets.items()}, sys.stdout)


if __name__ == "__main__":
    main()
