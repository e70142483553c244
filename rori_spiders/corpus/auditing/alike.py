"""Whether two texts are nearly the same, and say the same: what differs between them is looked at word by word.

Sections of a law are made of each other's words: "within 30 days" and "within 60 days", "shall" and "may", Alabama and
Alaska. So a line of the one that has its counterpart in the other, with another fact in it, makes them two texts. A
line that only one of them has (a banner, a list of links) does not, as long as most is shared.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from rapidfuzz.distance import Indel

from rori_spiders.corpus.auditing.reading import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Of the words of both texts, in lines that are the same or counterparts.
NEARLY = 0.85
#: Two lines that share so much are versions of one; below that one came and the other went.
_COUNTERPARTS = 0.5
#: Lines of one text without their same in the other that are still looked at, and pairs of words in them.
_MOST_LINES = 60
_MOST_PAIRS = 25_000_000

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


def same_facts(one: str, other: str) -> float | None:
    """How much two markdown texts share (0 to 1, of their words), if it is nearly all and no fact differs; else None.

    Where links lead plays no part.
    """
    left, right = _lines(shown(one)), _lines(shown(other))
    only_left, only_right = list((left - right).elements()), list((right - left).elements())
    both = (left & right).elements()
    shared = 2 * sum(len(line.split()) for line in both)
    total = sum(len(line.split()) * n for text in (left, right) for line, n in text.items())
    if max(len(only_left), len(only_right)) > _MOST_LINES or _words(only_left) * _words(only_right) > _MOST_PAIRS:
        return None
    for line, twin, alike in _counterparts(only_left, only_right):
        if _facts(line) != _facts(twin):
            return None
        shared += round(alike * (len(line.split()) + len(twin.split())))
    return shared / total if total and shared >= NEARLY * total else None


def _lines(text: str) -> Counter[str]:
    return Counter(" ".join(line.split()) for line in text.split("\n") if line.strip())


def _words(lines: list[str]) -> int:
    return sum(len(line.split()) for line in lines)


def _counterparts(left: list[str], right: list[str]) -> Iterator[tuple[str, str, float]]:
    """Lines of both that are versions of each other, the most alike first."""
    words = {line: _WORD.findall(line.casefold()) for line in (*left, *right)}
    alike = sorted(
        (
            (Indel.normalized_similarity(words[line], words[twin], score_cutoff=_COUNTERPARTS), line, twin)
            for line in left
            for twin in right
        ),
        key=lambda it: (-it[0], it[1], it[2]),
    )
    free = Counter(left), Counter(right)
    for share, line, twin in alike:
        if share and free[0][line] and free[1][twin]:
            free[0][line] -= 1
            free[1][twin] -= 1
            yield line, twin, share


def _facts(line: str) -> Counter[str]:
    """Figures, enumerators, names, and words that turn a sentence round."""
    begins = {found.start(1) for found in _BEGINNING.finditer(line)}
    facts: Counter[str] = Counter()
    for found in _WORD.finditer(line):
        word = found[0]
        is_name = word[0].isupper() and found.start() not in begins
        if any(map(str.isdigit, word)) or is_name or word.lower() in _TURNING or len(word) == 1:
            facts[word if is_name else word.lower()] += 1
    return facts
