"""Blocks that stand on a large share of a site's pages, found by counting.

In: all bodies of a corpus, one after the other. Out: which blocks stand on how many pages of a host. Only what steers a
reader is counted at all (``chrome``), and a list as a whole: which of its items many pages share may be what they say.
Bounded: of a site of 20,000 pages no more than ``MOST`` are remembered.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote

from rori_spiders.corpus.cleaning.blocks import blocks_of
from rori_spiders.corpus.cleaning.chrome import chrome_of
from rori_spiders.corpus.cleaning.visible import folded
from rori_spiders.urls.canonical import host_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from rori_spiders.corpus.cleaning.blocks import Block
    from rori_spiders.corpus.cleaning.chrome import Chrome

#: Of a host's pages: calls to action tell nothing wherever they stand.
ACTION_SHARE = 0.3
#: Links may: which lines stop at a station, which fields a file has. What stands on four pages of five tells none of
#: them from the others. Of 518 pages of three manuals and 12 bills: the bar "HOME | HELP" on all bills, and nothing
#: else; a link that stands on 54 % of a manual's pages is in lists whose other items differ.
LINKS_SHARE = 0.8
#: Of fewer pages nothing can be said: two that are alike are a third of six.
LEAST_PAGES = 5
#: Blocks of a host that are counted at once; some 30 MB.
MOST = 200_000


@dataclass(frozen=True, slots=True)
class Boilerplate:
    """``pages``: host -> how many were counted. ``counts``: host -> digest of a unit -> pages with it, at least."""

    pages: Mapping[str, int] = field(default_factory=dict)
    counts: Mapping[str, Mapping[str, int]] = field(default_factory=dict)

    def share(self, unit: Unit, url: str) -> float:
        """The share of the host's pages that have *unit*; 0 where that is too little to say anything."""
        host = host_of(url)
        pages = self.pages.get(host, 0)
        found = self.counts.get(host, {}).get(digest(unit, url), 0)
        least = ACTION_SHARE if unit.chrome == "call to action" else LINKS_SHARE
        return found / pages if found >= LEAST_PAGES and found >= least * pages else 0.0


class Unit(NamedTuple):
    """Blocks number ``start`` to ``end`` (not itself): a paragraph, or all items of a list."""

    start: int
    end: int
    chrome: Chrome
    text: str


NONE = Boilerplate()


def count_boilerplate(bodies: Iterable[tuple[str, str]]) -> Boilerplate:
    """Count what *bodies*, pairs of URL and body, have in common. Their order makes no difference, up to ``MOST``."""
    pages: Counter[str] = Counter()
    counts: dict[str, dict[str, int]] = defaultdict(dict)
    for url, body in bodies:
        host = host_of(url)
        pages[host] += 1
        seen = counts[host]
        for key in {digest(unit, url) for unit in units_of(blocks_of(body))}:
            seen[key] = seen.get(key, 0) + 1
        while len(counts[host]) > MOST:
            counts[host] = _fewer(counts[host])
    return Boilerplate(dict(pages), {host: _often(seen) for host, seen in counts.items()})


def units_of(blocks: Sequence[Block]) -> Iterator[Unit]:
    """What goes or stays as a whole, of that which steers."""
    at = 0
    while at < len(blocks):
        end = at + 1
        while blocks[at].kind == "item" and end < len(blocks) and blocks[end].kind == "item":
            end += 1
        found = [chrome_of(block) for block in blocks[at:end]]
        if None not in found:
            what: Chrome = "links" if "links" in found else "call to action"
            yield Unit(at, end, what, "\n".join(block.text for block in blocks[at:end]))
        at = end


def digest(unit: Unit, url: str) -> str:
    """The same for the same unit on two pages, whose own address in it ("share this") makes no difference."""
    text = unit.text.replace(quote(url, safe=""), "").replace(url, "")
    return blake2b(folded(text).encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def _fewer(seen: dict[str, int]) -> dict[str, int]:
    """Misra and Gries (1982): every count one less, so that none is ever too high, and what is frequent stays."""
    return {key: count - 1 for key, count in seen.items() if count > 1}


def _often(seen: Mapping[str, int]) -> dict[str, int]:
    return {key: count for key, count in sorted(seen.items()) if count >= LEAST_PAGES}
