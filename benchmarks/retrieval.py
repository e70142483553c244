"""How well chunks of a corpus are found, beside those of other splitters: `python -m benchmarks.retrieval FOLDER`.

FOLDER has parts of the CFR as XML (.xml, .xml.gz; named ``...part1024...`` or ``regml-1024-...``). Questions are made
of their text, so that the answers are known: a paragraph by its designation, a definition, a deadline, an amount, an
exception, a list's item asked for with the words that introduce it, a cross-reference. They are made by patterns of
their own, not by the chunker's. All chunks are searched by BM25 (rank_bm25) and by the embeddings that the package
wordllama ships, all sizes counted alike; ours by their `text`, by `keywords` and `text`, and so with what a question
cites looked up, as the reference loader does.

Recall@5: the whole answer stands in one of the first five chunks. Coverage: the share of the answer's words, three in
a row, that the five have together. ``--half`` takes every second document: 1 for work, 2 for the figures that count.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import subprocess
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from statistics import mean
from typing import TYPE_CHECKING, NamedTuple
from zlib import crc32

from benchmarks.reading import body_of
from benchmarks.rivals.environments import make_environment
from rori_spiders.content.convert import Converted, digest
from rori_spiders.corpus.auditing.chunks import estimate_tokens, split_into_chunks
from rori_spiders.corpus.chunks.chunker import split_document
from rori_spiders.corpus.loader.index import is_within, length_of_asked_term, mentions_in, rank_mentions, read_question

if TYPE_CHECKING:
    from rori_spiders.corpus.chunks.chunker import Chunk

_SCRIPT = Path(__file__).parent / "rivals" / "text_splitters.py"
_PACKAGES = ("langchain-text-splitters", "llama-index-core", "chonkie", "rank-bm25", "wordllama")
_PART = re.compile(r"(?:part|regml-)(\d{3,4})")
_SECTION = re.compile(r"^#{1,6} § (?P<number>[\d.]+\d) (?P<title>.+)$", re.MULTILINE)
_SENTENCE = re.compile(r"(?<=[.;]) (?=[A-Z(])")
_WORDS = re.compile(r"[a-z]{4,}")
_COMMON = frozenset(
    (
        *("each", "from", "have", "been", "into", "means", "must", "other", "paragraph", "paragraphs", "part"),
        *("person", "section", "shall", "such", "subpart", "than", "that", "their", "there", "these", "this"),
        *("those", "under", "upon", "when", "which", "will", "with", "would"),
    )
)
_DEADLINE = re.compile(
    r"\b(?:within|later than|at least) (?:\w+ )?\(?\d+\)? (?:business |calendar )?(?:days|months|years|hours)"
)
_AMOUNT = re.compile(r"\$\d|\d percent|\d%")
_EXCEPTION = re.compile(r"\b(?:does not apply|do not apply|except that|is exempt|are exempt|does not include)\b")
_REFERENCE = re.compile(r"§ ?(\d{3,4}\.\d+(?:\(\w+\))+)")
_FEWEST_CHARS = 40
_OURS = "chunks.jsonl"
_TOP = 5
_WITH_KEYWORDS = f"{_OURS}, keywords and text"


class Document(NamedTuple):
    name: str
    part: str
    text: str


class Question(NamedTuple):
    kind: str
    text: str
    answer: str


def documents_in(folder: Path, half: int) -> list[Document]:
    """The parts in *folder*, one document for each part: of several years the first."""
    found: dict[str, Document] = {}
    for path in sorted(folder.iterdir()):
        part = _PART.search(path.name)
        if part is None or path.name.startswith("fr-") or (half and crc32(part[1].encode()) % 2 != half - 1):
            continue
        url = f"https://www.ecfr.gov/current/title-12/part-{part[1]}"
        page = digest(body_of(path), url=url, content_type="application/xml")
        assert isinstance(page, Converted), path
        found.setdefault(part[1], Document(path.name, part[1], page.markdown))
    return list(found.values())


def questions_of(document: Document, rng: random.Random) -> Iterator[Question]:
    """Every question that can be made of *document*."""
    starts = list(_SECTION.finditer(document.text))
    for at, section in enumerate(starts):
        end = starts[at + 1].start() if at + 1 < len(starts) else len(document.text)
        text = document.text[section.end() : end].partition("\n#")[0]
        blocks = [block.strip() for block in text.split("\n\n") if block.strip()]
        title = section["title"].rstrip(".")
        yield from _by_designation(section["number"], blocks)
        yield from _items(blocks, rng)
        for block in blocks:
            if found := re.match(r"(?:\([a-z]+\) )?\*([^*]{3,60})\* means\b", block):
                yield Question("definition", f"What does {found[1]} mean in part {document.part}?", block)
            for sentence in _SENTENCE.split(block):
                yield from _of_sentence(sentence.strip(), title, rng)


def _by_designation(number: str, blocks: Sequence[str]) -> Iterator[Question]:
    """Paragraphs "(a)", "(b)" in a row, and below them "(1)", "(2)": as far as nothing is left out."""
    letter, figure = "a", 0
    for block in blocks:
        if block.startswith(f"({letter}) "):
            yield Question("designation", f"What does 12 CFR {number}({letter}) say?", block)
            figure = 1 if re.search(r"[.—] ?\(1\) ", block[:120]) else 0
            above, letter = letter, chr(ord(letter) + 1)
        elif letter != "a" and block.startswith(f"({figure + 1}) "):
            figure += 1
            yield Question("designation", f"What does 12 CFR {number}({above})({figure}) say?", block)


def _items(blocks: Sequence[str], rng: random.Random) -> Iterator[Question]:
    for before, block in pairwise(blocks):
        if before.endswith(":") and re.match(r"\((?:1|i|A)\) ", block):
            at = blocks.index(block)
            run = [one for one in blocks[at : at + 12] if one.startswith("(")]
            item = rng.choice(run[: next((n for n, one in enumerate(run) if one.endswith(".")), len(run)) + 1])
            lead = _picked(before[-300:], rng, 5)
            yield Question("list item", f"{lead} {_picked(item, rng, 3)}", item)


def _of_sentence(sentence: str, title: str, rng: random.Random) -> Iterator[Question]:
    if _DEADLINE.search(sentence):
        yield Question("deadline", f"{title}: by when, within how many days {_picked(sentence, rng, 7)}", sentence)
    elif _AMOUNT.search(sentence):
        yield Question("amount", f"{title}: what amount or percent {_picked(sentence, rng, 7)}", sentence)
    elif _EXCEPTION.search(sentence):
        yield Question("exception", f"{title}: exception, does not apply {_picked(sentence, rng, 6)}", sentence)
    elif found := _REFERENCE.search(sentence):
        yield Question("cross-reference", f"What refers to {found[1]}: {_picked(sentence, rng, 4)}", sentence)


def _picked(text: str, rng: random.Random, number: int) -> str:
    words = sorted(set(_WORDS.findall(text.lower())) - _COMMON)
    return " ".join(rng.sample(words, min(number, len(words))))


def _normal(text: str) -> str:
    return " ".join(text.split())


def _unique(questions: Sequence[Question], documents: Sequence[Document]) -> list[Question]:
    """Those whose answer stands in one place only, and is long enough to be one."""
    whole = "\n".join(_normal(one.text) for one in documents)
    return [one for one in questions if len(one.answer) >= _FEWEST_CHARS and whole.count(_normal(one.answer)) == 1]


def _sample(questions: Sequence[Question], number: int, rng: random.Random) -> list[Question]:
    by_kind: dict[str, list[Question]] = defaultdict(list)
    for one in questions:
        by_kind[one.kind].append(one)
    return [one for found in by_kind.values() for one in rng.sample(found, min(number, len(found)))]


def _own_chunks(documents: Sequence[Document]) -> tuple[dict[str, list[str]], list[Chunk]]:
    """Our chunks as texts to be searched, and those of the loader's chunker; and our chunks."""
    ours: list[Chunk] = []
    loader: list[str] = []
    for number, one in enumerate(documents):
        url = f"https://www.ecfr.gov/current/title-12/part-{one.part}"
        ours += split_document(one.text, doc_id=f"web_{number:08x}_x", url=url, title=None)
        loader += [chunk.text(one.text) for chunk in split_into_chunks(one.text)]
    texts = [chunk.text for chunk in ours]
    with_keywords = ["\n".join((*chunk.keywords, "", chunk.text)) for chunk in ours]
    return {_WITH_KEYWORDS: with_keywords, _OURS: texts, "loader's chunker": loader}, ours


def _looked_up(question: str, ranked: Sequence[int], chunks: Sequence[Chunk]) -> list[int]:
    """The chunks with what is cited in the question, or defines its term, first: as the reference loader finds them."""
    asked = read_question(question)
    first: list[int] = []
    for name in asked.names:
        if asked.asks_what_refers:
            referring = {
                at: [passage for _, passage in mentions_in(one.text, one.end, cited)]
                for at, one in enumerate(chunks)
                if (cited := [(to.canonical, to.end) for to in one.citations if is_within(to.canonical, name)])
            }
            first += rank_mentions(asked.rest, referring)
        else:
            first += [at for at, one in enumerate(chunks) if any(own.endswith(name) for own in one.designations)]
    lengths = [(length_of_asked_term(one.keywords, question), at) for at, one in enumerate(chunks)]
    first += [at for length, at in sorted(lengths, key=lambda row: -row[0]) if length]
    return list(dict.fromkeys([*first, *ranked]))[:_TOP]


def _shingles(text: str) -> set[tuple[str, ...]]:
    words = text.split()
    return {tuple(words[at : at + 3]) for at in range(max(1, len(words) - 2))}


def _recall(found: Sequence[str], answer: str) -> float:
    return float(any(_normal(answer) in _normal(chunk) for chunk in found))


def _coverage(found: Sequence[str], answer: str) -> float:
    wanted = _shingles(answer)
    return len(wanted & {one for chunk in found for one in _shingles(chunk)}) / len(wanted)


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the questions, search, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--half", type=int, choices=(0, 1, 2), default=0)
    parser.add_argument("--each", type=int, default=60, metavar="N", help="questions of each kind, at most")
    opts = parser.parse_args(arguments)
    rng = random.Random(opts.seed)  # noqa: S311  # which questions are asked
    documents = documents_in(opts.folder, opts.half)
    known = [question for one in documents for question in questions_of(one, rng)]
    questions = _sample(_unique(known, documents), opts.each, rng)
    python, versions = make_environment("text_splitters", _PACKAGES)
    own, chunks = _own_chunks(documents)
    request = {
        "documents": [one.text for one in documents],
        "ours": own,
        "questions": [one.text for one in questions],
        "sizes": [256, 512],
        "top": _TOP,
    }
    done = subprocess.run([python, _SCRIPT], input=json.dumps(request), capture_output=True, text=True, check=True)
    print(f"{len(documents)} parts, {len(questions)} questions, seed {opts.seed}; {versions}\n")
    for search, results in json.loads(done.stdout).items():
        print(f"## {search}\n")
        looked_up = {
            f"{name}, citations and terms looked up": [
                [own[name][at] for at in _looked_up(one.text, ranked, chunks)]
                for one, ranked in zip(questions, results[name], strict=True)
            ]
            for name in (_WITH_KEYWORDS, _OURS)
        }
        results |= {name: [[own[name][at] for at in ranked[:_TOP]] for ranked in results[name]] for name in own}
        _print_tables({**looked_up, **results}, questions)
    return 0


def _print_tables(results: dict[str, list[list[str]]], questions: Sequence[Question]) -> None:
    kinds = list(dict.fromkeys(one.kind for one in questions))
    measures: list[tuple[str, Callable[[Sequence[str], str], float]]] = [("recall@5", _recall), ("coverage", _coverage)]
    for name, measure in measures:
        print(f"| {name} | all | {' | '.join(kinds)} | tokens of the five |\n|{' --- |' * (len(kinds) + 3)}")
        for splitter, found in results.items():
            scores = [measure(chunks, one.answer) for chunks, one in zip(found, questions, strict=True)]
            of_kind = [
                mean(score for score, one in zip(scores, questions, strict=True) if one.kind == k) for k in kinds
            ]
            tokens = mean(sum(map(estimate_tokens, chunks)) for chunks in found)
            print(
                f"| {splitter} | {mean(scores):.2f} | {' | '.join(f'{one:.2f}' for one in of_kind)} | {tokens:,.0f} |"
            )
        print()


if __name__ == "__main__":
    raise SystemExit(main())
