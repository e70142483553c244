"""Find documents with nearly the same text: MinHash fingerprints propose pairs, a comparison word by word decides.

Sections of a law share most words: "within 30 days" and "within 60 days", "shall" and "may", Alabama and Alaska. So
a line that has its counterpart in the other text, with another fact in it, makes them two texts; a line that only
one of them has (a banner, a list of links) does not.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from hashlib import blake2b, sha256
from operator import eq
from typing import NamedTuple

from rapidfuzz.distance import Indel
from rensa import RMinHash  # type: ignore[import-untyped]  # it has no stubs

from rori_spiders.corpus.auditing.document_lines import DocumentLines, strip_markup

_PERMUTATIONS = 128
_SEED = 1
_SHINGLE_WORDS = 3
#: 16 groups of 8 places: of two texts that share 9 tenths some group is equal in 9,999 of 10,000 cases, at 7 tenths in
#: 6 of 10, at half in 6 of 100.
_GROUP = 8
#: Of a group shared by many texts only the last few are compared, so that templates do not take quadratic time.
_NEIGHBOURS = 3
#: Shorter sentences may occur anywhere by chance.
_SENTENCE_WORDS = 8

_FINGERPRINT_WORD = re.compile(r"\w+")


class Fingerprint(NamedTuple):
    """``text``: the hash of the text with white space folded; ``sentences``: hash and number of the longer lines."""

    text: bytes
    sketch: array[int]
    sentences: dict[int, int]


def fingerprint_of(reading: DocumentLines) -> Fingerprint:
    """Compute the fingerprint of a document's text, headings included."""
    words = _FINGERPRINT_WORD.findall(reading.body.casefold())
    sketch = RMinHash(_PERMUTATIONS, _SEED)
    sketch.update([" ".join(words[at : at + _SHINGLE_WORDS]) for at in range(max(1, len(words) - _SHINGLE_WORDS + 1))])
    text = sha256(" ".join(reading.body.split()).encode("utf-8", "surrogatepass")).digest()
    return Fingerprint(text, array("I", sketch.digest()), sentence_hashes(reading))


def sentence_hashes(reading: DocumentLines) -> dict[int, int]:
    """Return hash and line number of each long enough line of running text."""
    found: dict[int, int] = {}
    for line in reading.lines:
        words = line.text.split() if line.kind == "text" else []
        if len(words) >= _SENTENCE_WORDS:
            found.setdefault(line_hash(line.text), line.number)
    return found


def line_hash(line: str) -> int:
    """Hash a line's words, as in ``Fingerprint.sentences``."""
    words = " ".join(_FINGERPRINT_WORD.findall(line.casefold()))
    return int.from_bytes(blake2b(words.encode(), digest_size=8).digest())


def likely_duplicates(prints: Sequence[Fingerprint], shared: float) -> Iterator[tuple[int, list[int]]]:
    """For each of *prints*, list the earlier ones that may share *shared* (0 to 1) of it, the likeliest first."""
    last: dict[tuple[int, bytes], list[int]] = {}
    for later, one in enumerate(prints):
        near: set[int] = set()
        for at in range(0, _PERMUTATIONS, _GROUP):
            group = last.setdefault((at, one.sketch[at : at + _GROUP].tobytes()), [])
            near.update(group)
            group.append(later)
            del group[:-_NEIGHBOURS]
        similarity = sorted((-sum(map(eq, one.sketch, prints[earlier].sketch)), earlier) for earlier in near)
        if likely := [earlier for same, earlier in similarity if -same >= shared * _PERMUTATIONS]:
            yield later, likely


#: Of the words of both texts, in lines that are the same or counterparts.
NEAR_DUPLICATE_SHARE = 0.85
#: Two lines that share so much are versions of one; below that one came and the other went.
_COUNTERPART_SHARE = 0.5
#: Lines of one text without their same in the other that are still looked at, and pairs of words in them.
_MAX_LINES = 60
_MAX_PAIRS = 25_000_000

_WORD = re.compile(r"[\w§$€£%]+(?:[.,:/-]\w+)*%?")
_BEGINNING = re.compile(r"(?:^|[.!?:;]\s+|[#>*|-]\s+)[\"'(\[*]*(\w+)")
# Words that turn a sentence round, or make another duty of it.
_TURNING_WORDS = (
    "not no nor none never neither without except unless but only shall may must should will can cannot and or either"
    " both all any each every some before after until within during more less least most under over above below between"
    " include includes including exclude excludes excluding allowed permitted prohibited required exempt"
    " day days week weeks month months quarter year years annual annually daily weekly monthly quarterly"
    " one two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty fifty sixty ninety"
    " hundred thousand million billion percent half first second third fourth fifth increase decrease"
)
_TURNING = frozenset(_TURNING_WORDS.split())


def share_without_changed_facts(one: str, other: str) -> float | None:
    """Return the shared part (0 to 1) of two nearly equal markdown texts without a differing fact; else None.

    Where links lead plays no part.
    """
    left, right = _count_lines(strip_markup(one)), _count_lines(strip_markup(other))
    only_left, only_right = list((left - right).elements()), list((right - left).elements())
    both = (left & right).elements()
    shared = 2 * sum(len(line.split()) for line in both)
    total = sum(len(line.split()) * n for text in (left, right) for line, n in text.items())
    if (
        max(len(only_left), len(only_right)) > _MAX_LINES
        or _count_words(only_left) * _count_words(only_right) > _MAX_PAIRS
    ):
        return None
    for line, counterpart, similarity in _pair_counterparts(only_left, only_right):
        if _fact_words(line) != _fact_words(counterpart):
            return None
        shared += round(similarity * (len(line.split()) + len(counterpart.split())))
    return shared / total if total and shared >= NEAR_DUPLICATE_SHARE * total else None


def _count_lines(text: str) -> Counter[str]:
    return Counter(" ".join(line.split()) for line in text.split("\n") if line.strip())


def _count_words(lines: list[str]) -> int:
    return sum(len(line.split()) for line in lines)


def _pair_counterparts(left: list[str], right: list[str]) -> Iterator[tuple[str, str, float]]:
    """Pair lines that are versions of each other, the most similar first."""
    words = {line: _WORD.findall(line.casefold()) for line in (*left, *right)}
    similarity = sorted(
        (
            (
                Indel.normalized_similarity(words[line], words[counterpart], score_cutoff=_COUNTERPART_SHARE),
                line,
                counterpart,
            )
            for line in left
            for counterpart in right
        ),
        key=lambda it: (-it[0], it[1], it[2]),
    )
    free = Counter(left), Counter(right)
    for share, line, counterpart in similarity:
        if share and free[0][line] and free[1][counterpart]:
            free[0][line] -= 1
            free[1][counterpart] -= 1
            yield line, counterpart, share


def _fact_words(line: str) -> Counter[str]:
    """Return the figures, enumerators, names and decisive words of a line."""
    begins = {found.start(1) for found in _BEGINNING.finditer(line)}
    facts: Counter[str] = Counter()
    for found in _WORD.finditer(line):
        word = found[0]
        is_name = word[0].isupper() and found.start() not in begins
        if any(map(str.isdigit, word)) or is_name or word.lower() in _TURNING or len(word) == 1:
            facts[word if is_name else word.lower()] += 1
    return facts
