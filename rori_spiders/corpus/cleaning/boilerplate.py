"""Boilerplate: blocks that steer a reader (calls to action, link lists) and stand on a large share of a site's
pages.  A block that states a figure, a date, a citation, an obligation or a denial is binding and never
boilerplate (`binding_reason`). Prose that repeats is not boilerplate either: it may be what matters most.
Counting is bounded: at most ``MAX_UNITS`` units of a site are kept.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b
from typing import Literal, NamedTuple
from urllib.parse import quote

from rori_spiders.content.citations import find
from rori_spiders.content.markdown.links import leads_to_document
from rori_spiders.corpus.cleaning.blocks import Block, fold_text, parse_blocks, visible_text
from rori_spiders.fields.grounding.statements import asserts_or_denies
from rori_spiders.urls.canonical import host_of

_FIGURE = re.compile(r"\d|[%$€£¥§¶½¼¾⅓⅔]")
_NUMBERS = re.compile(
    r"\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|sixty|seventy|eighty"
    r"|ninety|hundred|thousand|million|billion|half|quarter|third|percent|twice|double|zero)s?\b",
    re.IGNORECASE,
)
_TIMES = re.compile(
    r"\b(?:days?|weeks?|months?|years?|hours?|daily|weekly|monthly|quarterly|yearly|annual(?:ly)?|january|february|march"
    r"|april|june|july|august|september|october|november|december|deadlines?|until|expir\w*|effective|due|former(?:ly)?)\b",
    re.IGNORECASE,
)
_OBLIGES = re.compile(
    r"\b(?:must|shall|should|may|might|ought|need(?:s|ed)? to|ha(?:s|ve|d) to|requir\w*|oblig\w*|mandat\w*|entitl\w*"
    r"|eligib\w*|qualif\w*|liab\w*|penalt\w*|fines?|fees?|comply|compli\w*|permit\w*|allow\w*|authori[sz]\w*|consent\w*"
    r"|approv\w*|amend\w*|supersed\w*|rescind\w*|terminat\w*|reserv\w*|means|defin\w*|subject to|pursuant|provided that"
    r"|according to|warrant\w*|guarant\w*|disclaim\w*|official|caution|warning|danger|restrict\w*|limit\w*|only)\b",
    re.IGNORECASE,
)
# Laws by their names alone, which are no citations yet ("the Truth in Lending Act"). Capitals count.
_LAWS = re.compile(
    r"\b(?:Acts?|Bills?|Code|Regulations?|Rules?|Statutes?|Circulars?|Bulletins?|Handbooks?|Ordinances?|Directives?|Orders?"
    r"|Constitution|Amendments?|Treat(?:y|ies))\b"
)
_OTHER_LETTERS = re.compile(r"[^\W\d_\u0000-\u024f\u1e00-\u1eff]")


@lru_cache(maxsize=1024)
def binding_reason(text: str) -> str | None:
    """What in the block binds: ``figure``, ``obligation``, ``denial``, ...; None when nothing does."""
    seen = visible_text(text)
    tests = (
        ("figure", _FIGURE), ("number", _NUMBERS), ("time", _TIMES), ("obligation", _OBLIGES), ("citation", _LAWS),
        ("unread language", _OTHER_LETTERS),
    )  # fmt: skip
    if found := next((name for name, pattern in tests if pattern.search(seen.text)), None):
        return found
    if any(leads_to_document(target) for target in seen.targets):
        return "document"
    if asserts_or_denies(seen.text, "") is not True:
        return "denial"
    return "citation" if find(seen.text) else None


# Blocks that steer a reader rather than tell anything: calls to action, and links with hardly a word beside them.
# Only these may go because they repeat. Prose that stands on every page of a site may be what matters most on it: a
# court's "these electronic orders may contain errors", "opinions ordered published may be cited", a status that is
# NONE (all seen on real pages), so that how often it stands there proves nothing.

ChromeKind = Literal["call to action", "links"]

#: The longest of 51 on 755 pages has 12; what is much longer goes on to say something.
ACTION_WORDS = 15
#: Words in links, of all; the rest is what stands between them ("|", "and", "Jump to:").
LINK_SHARE = 0.8
#: A longer run of links is a table of contents or an index, the content of its page.
LINK_WORDS = 40
_ACTION = re.compile(
    r"(?:(?:book|request|schedule|get|start|try|watch|see|claim|arrange) (?:(?:an?|your|our|the|my) )?"
    r"(?:free |live |quick |personal )*"
    r"(?:demo|trial|quote|tour|call|consultation|walkthrough|started|in touch)\b"
    r"|subscribe\b|sign up\b|join (?:our|the) (?:newsletter|mailing list|community)\b"
    r"|(?:learn|read|view|see|show|find out) more\b"
    r"|(?:talk|speak|chat|contact) (?:to |with )?(?:sales|our (?:team|experts?))\b"
    r"|follow us\b|like us\b|find us on\b|connect with us\b|share (?:this|on|via)\b|tweet\b"
    r"|(?:e-?mail|print) this (?:page|article|post)\b|(?:go |jump |return )?(?:back )?to (?:the )?top\b|skip to\b"
    r"|related (?:articles?|posts?|stories|content|pages|links)\b"
    r"|was this (?:page|article|information) helpful|leave a comment\b|download (?:the|our) app\b)",
    re.IGNORECASE,
)
_ROW = re.compile(r"(?m)^(?:[^\S\n]+|[^\S\n]*\n)\|")


def chrome_kind(block: Block) -> ChromeKind | None:
    """What makes *block* one that steers; None for every other, and for whatever binds."""
    if block.kind not in {"paragraph", "item"} or block.changed or len(block.text) > 4_000:
        return None
    seen = visible_text(block.text)
    is_action = seen.words <= ACTION_WORDS and _ACTION.match(seen.text)
    is_links = seen.targets and seen.words <= LINK_WORDS and seen.link_words >= LINK_SHARE * seen.words
    if not seen.words or not (is_action or is_links) or _ROW.search(block.text) or binding_reason(block.text):
        return None
    return "call to action" if is_action else "links"


def follows_lead_sentence(blocks: Sequence[Block], at: int) -> bool:
    """Whether block *at* is part of what a sentence with a colon announces ("The lender gives:")."""
    before = at - 1
    if blocks[at].kind == "item":
        while before >= 0 and blocks[before].kind == "item":
            before -= 1
    if before < 0 or blocks[before].kind in {"heading", "rule", "tag"}:
        return False
    return visible_text(blocks[before].text).text.endswith(":") and chrome_kind(blocks[before]) is None


# Blocks that stand on a large share of a site's pages, found by counting. In: all bodies of a corpus, one after the
# other. Out: which blocks stand on how many pages of a host. Only what steers a reader is counted at all
# (``chrome``), and a list as a whole: which of its items many pages share may be what they say. Bounded: of a site of
# 20,000 pages no more than ``MAX_UNITS`` units are remembered.

#: Of a host's pages: calls to action tell nothing wherever they stand.
ACTION_SHARE = 0.3
#: Links may: which lines stop at a station, which fields a file has. What stands on four pages of five tells none of
#: them from the others. Of 518 pages of three manuals and 12 bills: the bar "HOME | HELP" on all bills, and nothing
#: else; a link that stands on 54 % of a manual's pages is in lists whose other items differ.
LINKS_SHARE = 0.8
#: Of fewer pages nothing can be said: two that are alike are a third of six.
MIN_PAGES = 5
#: Blocks of a host that are counted at once; some 30 MB.
MAX_UNITS = 200_000


@dataclass(frozen=True, slots=True)
class Boilerplate:
    """``pages``: host -> how many were counted. ``counts``: host -> digest of a unit -> pages with it, at least."""

    pages: Mapping[str, int] = field(default_factory=dict)
    counts: Mapping[str, Mapping[str, int]] = field(default_factory=dict)

    def share(self, unit: Unit, url: str) -> float:
        """The share of the host's pages that have *unit*; 0 if the host has too few pages."""
        host = host_of(url)
        pages = self.pages.get(host, 0)
        found = self.counts.get(host, {}).get(unit_digest(unit, url), 0)
        least = ACTION_SHARE if unit.chrome == "call to action" else LINKS_SHARE
        return found / pages if found >= MIN_PAGES and found >= least * pages else 0.0


class Unit(NamedTuple):
    """Blocks number ``start`` to ``end`` (not itself): a paragraph, or all items of a list."""

    start: int
    end: int
    chrome: ChromeKind
    text: str


NO_BOILERPLATE = Boilerplate()


def count_boilerplate(bodies: Iterable[tuple[str, str]]) -> Boilerplate:
    """Count what *bodies*, pairs of URL and body, have in common; up to ``MAX_UNITS`` in whatever order."""
    pages: Counter[str] = Counter()
    counts: dict[str, dict[str, int]] = defaultdict(dict)
    for url, body in bodies:
        host = host_of(url)
        pages[host] += 1
        seen = counts[host]
        for key in {unit_digest(unit, url) for unit in units_of(parse_blocks(body))}:
            seen[key] = seen.get(key, 0) + 1
        while len(counts[host]) > MAX_UNITS:
            counts[host] = _decrement_counts(counts[host])
    return Boilerplate(dict(pages), {host: _frequent_units(seen) for host, seen in counts.items()})


def units_of(blocks: Sequence[Block]) -> Iterator[Unit]:
    """What goes or stays as a whole, of that which steers."""
    at = 0
    while at < len(blocks):
        end = at + 1
        while blocks[at].kind == "item" and end < len(blocks) and blocks[end].kind == "item":
            end += 1
        found = [chrome_kind(block) for block in blocks[at:end]]
        if None not in found:
            what: ChromeKind = "links" if "links" in found else "call to action"
            yield Unit(at, end, what, "\n".join(block.text for block in blocks[at:end]))
        at = end


def unit_digest(unit: Unit, url: str) -> str:
    """The same for the same unit on two pages, whose own address in it ("share this") makes no difference."""
    text = unit.text.replace(quote(url, safe=""), "").replace(url, "")
    return blake2b(fold_text(text).encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def _decrement_counts(seen: dict[str, int]) -> dict[str, int]:
    """Misra and Gries (1982): decrement every count, so that no count is too high and frequent units stay."""
    return {key: count - 1 for key, count in seen.items() if count > 1}


def _frequent_units(seen: Mapping[str, int]) -> dict[str, int]:
    return {key: count for key, count in sorted(seen.items()) if count >= MIN_PAGES}
