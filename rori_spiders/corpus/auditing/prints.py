"""What is kept of a document's text to find its like among thousands: a few hundred bytes.

By MinHash over three words in a row (`rensa`): the share of equal places in two sketches is about the share of what two
texts have in common. Sketches only say whom to compare; ``alike`` compares.
"""

from __future__ import annotations

import re
from array import array
from hashlib import blake2b, sha256
from operator import eq
from typing import TYPE_CHECKING, NamedTuple

from rensa import RMinHash  # type: ignore[import-untyped]  # it has no stubs

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rori_spiders.corpus.auditing.reading import Reading

_PLACES = 128
_SEED = 1
_IN_A_ROW = 3
#: 16 groups of 8 places: of two texts that share 9 tenths some group is equal in 9,999 of 10,000 cases, at 7 tenths in
#: 6 of 10, at half in 6 of 100.
_GROUP = 8
#: Of a group that many texts share only the last few are compared: the pages of a template take no squared time.
_NEIGHBOURS = 3
#: Sentences with fewer words may stand anywhere.
_SENTENCE_WORDS = 8

_WORD = re.compile(r"\w+")


class Print(NamedTuple):
    """``text`` is the hash of the text, white space folded; ``sentences`` are the longer lines: hash, number."""

    text: bytes
    sketch: array[int]
    sentences: dict[int, int]


def print_of(reading: Reading) -> Print:
    """The print of a document's text, headings included."""
    words = _WORD.findall(reading.body.casefold())
    sketch = RMinHash(_PLACES, _SEED)
    sketch.update([" ".join(words[at : at + _IN_A_ROW]) for at in range(max(1, len(words) - _IN_A_ROW + 1))])
    text = sha256(" ".join(reading.body.split()).encode("utf-8", "surrogatepass")).digest()
    return Print(text, array("I", sketch.digest()), sentences_in(reading))


def sentences_in(reading: Reading) -> dict[int, int]:
    """The hash of each line of running text that is long enough, and its number in the file."""
    found: dict[int, int] = {}
    for line in reading.lines:
        words = line.text.split() if line.kind == "text" else []
        if len(words) >= _SENTENCE_WORDS:
            found.setdefault(hash_of(line.text), line.number)
    return found


def hash_of(line: str) -> int:
    """Of a line's words, as ``Print.sentences`` has it."""
    words = " ".join(_WORD.findall(line.casefold()))
    return int.from_bytes(blake2b(words.encode(), digest_size=8).digest())


def likely_twins(prints: Sequence[Print], shared: float) -> Iterator[tuple[int, list[int]]]:
    """Places in *prints*, each with those before it that may have *shared* (0 to 1) with it, the likeliest first."""
    last: dict[tuple[int, bytes], list[int]] = {}
    for later, one in enumerate(prints):
        near: set[int] = set()
        for at in range(0, _PLACES, _GROUP):
            group = last.setdefault((at, one.sketch[at : at + _GROUP].tobytes()), [])
            near.update(group)
            group.append(later)
            del group[:-_NEIGHBOURS]
        alike = sorted((-sum(map(eq, one.sketch, prints[earlier].sketch)), earlier) for earlier in near)
        if likely := [earlier for same, earlier in alike if -same >= shared * _PLACES]:
            yield later, likely
