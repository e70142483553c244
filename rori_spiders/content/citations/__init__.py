"""Find citations of law and guidance in text: position, kind, and canonical spelling.

In: text (markdown is fine) and, if known, where it stands. Out: `Citation`s in the order of the text. Citations that
name their code come first, then those that one pattern tells, then those that need the page, then those
that point back; a place is cited once.
`of_page` finds those of a whole page, and where the publisher keeps what they name.
"""

from collections.abc import Iterable, Iterator, Mapping

from rori_spiders.content.chunking import Cited
from rori_spiders.content.citations import back_references, cases, codes, handbooks, patterns, references, state_codes
from rori_spiders.content.citations.context import home_of, place_of
from rori_spiders.content.citations.model import Citation
from rori_spiders.content.citations.patterns import PATTERNS
from rori_spiders.content.citations.target_urls import target_of

__all__ = ["KINDS", "Citation", "find", "of_page"]

KINDS = (
    "cfr", "usc", "publ", "stat", "fr", "eo", "docket", "rin", "named_reg", "comment", "relative", "hud_handbook",
    "mortgagee_letter", "va_circular", "va_pamphlet", "usda_hb", "fannie", "freddie", "other",
)  # fmt: skip


def find(text: str, context: Mapping[str, str] | None = None) -> list[Citation]:
    """Every citation in ``text``, in the order of their places; each mention counts.

    ``context`` says where the text stands, as far as known: ``title`` ("12 CFR", "15 USC"), ``part``, ``section``,
    ``subpart``, ``agency``, ``act``, ``state``. Without it, references such as "this part" are left out.
    """
    text = _with_plain_signs(text)
    with_hyphens = text if text.isascii() else text.replace("–", "-")  # where a dash is never a range's
    taken = bytearray(len(text))
    found = list(_free(codes.find(text), taken))
    place = place_of(text, context, found)
    found += _free(references.find_named_rules(text, place, found), taken)
    found += _free(handbooks.find_places(with_hyphens, context), taken)
    found += _free(state_codes.find(text, context), taken)
    found += _free(_by_patterns(with_hyphens), taken)
    found += _free(cases.find_rules(text, context), taken)
    found += _free(cases.find(text), taken)
    found += _free(patterns.find_series(with_hyphens), taken)
    found += _free(patterns.find_guides(with_hyphens, context), taken)
    found += _free(references.find_sections(text, place), taken)
    found += _free(state_codes.find_short_forms(text, found), taken)
    found += _free(state_codes.find_of_home(text, context), taken)
    in_order = references.join_paragraphs(text, sorted(found, key=lambda citation: (citation.start, citation.end)))
    return back_references.resolve(text, in_order)


#: Blanks, hyphens and apostrophes of typesetters, and the plain sign; one for one, so that offsets stay.
_TYPESET = (
    ("\u00a0", " "), ("\u2009", " "), ("\u202f", " "),
    ("\u2010", "-"), ("\u2011", "-"), ("\u2212", "-"), ("\u2019", "'"),
)  # fmt: skip


def _with_plain_signs(text: str) -> str:
    for typeset, plain in () if text.isascii() else _TYPESET:
        text = text.replace(typeset, plain)
    return text


def of_page(text: str, *, url: str, title: str | None) -> tuple[Cited, ...]:
    """Every citation in the text of a page, in order, resolved against where the page itself stands."""
    found = find(text, home_of(url, title))
    return tuple(Cited(one.start, one.end, one.kind, one.canonical, target_of(one)) for one in found)


def _by_patterns(text: str) -> Iterator[Citation]:
    """Numbers that one pattern tells; the registers' typesetters write their hyphens as dashes: "RIN 2502–AJ60"."""
    for pattern in (pattern for pattern in PATTERNS if pattern.may_be_in(text)):
        for match in pattern.regex.finditer(text):
            groups = {name: " ".join(value.split()) if value else "" for name, value in match.groupdict().items()}
            groups["r"] = f" {groups['r']}" if groups.get("r") else ""
            yield Citation(match.start(), match.end(), pattern.kind, pattern.form.format_map(groups))


def _free(found: Iterable[Citation], taken: bytearray) -> Iterator[Citation]:
    """Those whose place nobody has; they take it."""
    for citation in found:
        if not any(taken[citation.start : citation.end]):
            taken[citation.start : citation.end] = b"\x01" * (citation.end - citation.start)
            yield citation
