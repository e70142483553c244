"""Judge a cleaned text against its draft: the entry point of the guards.

Input: both as markdown without front matter, the title and URL of the page, the name of the site, known
boilerplate. Output: a ``Judgement``: every refusal with its place in both texts. A pure function that trusts
nothing the model says of its work. As a second check, figures, words of denial and URLs are counted over both texts
without regard to blocks.
"""

import html
import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from rori_spiders.corpus.guards.headings import HeadingRules
from rori_spiders.corpus.guards.leaf_blocks import (
    INVISIBLE_CHARACTERS,
    NEGATION,
    Leaf,
    LeafText,
    has_definition_lines,
    normalize_characters,
    parse_leaves,
)
from rori_spiders.corpus.guards.leaf_pairing import describe_changes, pair_leaves
from rori_spiders.corpus.guards.placement import PlacementCheck
from rori_spiders.corpus.guards.refusal import Place, Refusal
from rori_spiders.corpus.guards.removals import RemovalCheck


@dataclass(frozen=True, slots=True)
class Judgement:
    """Result of judging. ``refusals``: empty for an accepted text. ``removed``: removed blocks, for the reviewer."""

    refusals: tuple[Refusal, ...]
    removed: tuple[Place, ...] = ()
    figures: Mapping[str, int] = field(default_factory=dict)

    @property
    def passed(self) -> bool:
        return not self.refusals


# A second, independent check: counts of numbers, words of denial and URLs over whole texts, and hidden text.

_ADDRESS = re.compile(r"(?:https?|ftp|mailto|tel):[^\s<>()\[\]\"]+|(?<=\]\()[^\s<>()]+", re.IGNORECASE)
_NUMBER = re.compile(r"[$€£]?\d(?:[\d.,/:]*\d)?%?|[^\W\d_]?(?![0-9])[\u00bc-\u00be\u2150-\u218b\u2460-\u249b]")
_EMPHASIS = re.compile(r"(?<![^\W_])_+|_+(?![^\W_])")
_FRONT_MATTER = re.compile(r"\s*(?:---|\+\+\+|;;;)[^\S\n]*(?:\n|$)")
_TURNING = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def count_figures(markdown: str) -> Counter[str]:
    """Count the figures of *markdown*."""
    text = normalize_characters(markdown)
    # What stands behind an address may be the end of an emphasis.
    addresses = (address.rstrip("*_~") for address in _ADDRESS.findall(text))
    rest = _EMPHASIS.sub("", _ADDRESS.sub(" ", text))
    denials = (found[0].casefold() for found in NEGATION.finditer(rest))
    return Counter([*addresses, *_NUMBER.findall(rest), *denials])


def compare_figures(draft: str, removed: Iterable[str], cleaned: str, repeatable: str) -> tuple[list[str], list[str]]:
    """Return the figures that *cleaned* lacks, and those it has too many of, against *draft* minus *removed*.

    What stands in *repeatable* (title, headings, titles of columns) may come more often.
    """
    figures = count_figures(draft)
    for part in removed:
        figures.subtract(count_figures(part))
    found = count_figures(cleaned)
    may = set(count_figures(repeatable))
    lost = [one for one, count in figures.items() if found[one] < count and not (one in may and found[one])]
    return lost, [one for one, count in found.items() if count > max(figures[one], 0) and one not in may]


def find_hidden_text(draft: str, cleaned: str) -> str | None:
    """Describe hidden text in *cleaned*."""
    if _FRONT_MATTER.match(cleaned):
        return "the text begins with front matter"
    before = Counter(draft)
    for char, count in Counter(cleaned).items():
        if count > before[char] and _is_invisible_character(char):
            return f"the text has U+{ord(char):04X}, which the draft does not, or more of it"
    if _TURNING.sub("", draft) == draft or _TURNING.findall(draft) == _TURNING.findall(cleaned):
        return None
    return "characters that change the text direction were removed"


def has_invisible_characters(text: str) -> bool:
    """Whether *text* holds zero-width characters, as such or by their names."""
    shown = html.unescape(text)
    return any(char in shown for char in INVISIBLE_CHARACTERS)


def _is_invisible_character(char: str) -> bool:
    if char.isascii():
        return char not in "\n\t\r" and (char < " " or char == "\x7f")
    return unicodedata.category(char) in {"Cc", "Cf", "Co", "Cs", "Cn", "Zl", "Zp"}


# The judgement as a whole.

#: What a reader of refusals is shown of a block.
_QUOTE_CHARS = 200
#: Of a draft with at least so many words, half must remain. Of 237 real pages, half or more is never boilerplate.
_SOME_WORDS, _LEAST_SHARE = 40, 0.5
#: Tables told as prose repeat the titles of their columns; no more than this, and so many words, is ever needed.
_MOST_TIMES, _MOST_MORE = 3, 100


def judge_cleaned_text(
    draft: str,
    cleaned: str,
    *,
    title: str | None,
    source_url: str | None = None,
    entity: str | None = None,
    boilerplate: Collection[str] = (),
) -> Judgement:
    """Judge whether *cleaned* says what *draft* says, and nothing else.

    *boilerplate*: texts of blocks that the site repeats on its pages, or that its rules name; they may be removed where
    they hold nothing. Never raises: what cannot be read is refused.
    """
    old, new = parse_leaves(draft), parse_leaves(cleaned)
    if old.markdown.strip() == new.markdown.strip():
        return Judgement((), (), {"blocks": len(old.leaves), "kept": len(old.leaves)})
    naming = HeadingRules(title, entity)
    found = _Judge(old, new, naming, boilerplate).judge(title, source_url, entity)
    if found.passed and (has_definition_lines(draft) or has_definition_lines(cleaned)):
        # Readers differ on definition lists; it must hold for both.
        old, new = parse_leaves(draft, definitions=True), parse_leaves(cleaned, definitions=True)
        other = _Judge(old, new, naming, boilerplate).judge(title, source_url, entity)
        return found if other.passed else other
    return found


class _Judge:
    def __init__(self, draft: LeafText, cleaned: LeafText, naming: HeadingRules, boilerplate: Collection[str]) -> None:
        self._draft = draft
        self._cleaned = cleaned
        self._pairing = pair_leaves(draft, cleaned, naming)
        self._placing = PlacementCheck(draft, cleaned, self._pairing, naming)
        known = frozenset(" ".join(one.split()).casefold() for one in boilerplate)
        self._removal = RemovalCheck(draft, self._pairing, known, naming.names)

    def judge(self, title: str | None, source_url: str | None, entity: str | None) -> Judgement:
        changed = describe_changes(self._draft, self._cleaned, self._pairing)
        refusals = [self._refusal(*one) for one in changed]
        lost = {old.number for _, _, old, _ in changed if old is not None}
        refusals += [self._refusal(*one) for one in self._removal.refused(lost)]
        refusals += self._placing.wrong(self._refusal)
        removed = [self._draft.leaves[number] for number in self._pairing.gone if number not in lost]
        refusals += self._whole(source_url, f"{title or ''} {entity or ''}", removed)
        places = [place for leaf in removed if (place := _place_of_leaf(self._draft, leaf)) is not None]
        return Judgement(tuple(refusals), tuple(places), self._figures(len(removed)))

    def _whole(self, source_url: str | None, names: str, removed: Sequence[Leaf]) -> Iterator[Refusal]:
        draft, cleaned = self._draft.markdown, self._cleaned.markdown
        if (says := find_hidden_text(draft, cleaned)) is not None:
            yield Refusal("hidden_text", says)
        if any(count > self._draft.unread[char] for char, count in self._cleaned.unread.items()):
            yield Refusal("hidden_text", "the text has letters or digits that are not displayed")
        for number, origin in self._pairing.of.items():
            leaf, old = self._cleaned.leaves[number], self._draft.leaves[origin]
            if has_invisible_characters(raw := self._cleaned.raw(leaf)) and raw.strip() != self._draft.raw(old).strip():
                yield self._refusal("hidden_text", "zero-width characters", old, leaf)
        repeatable = " \n ".join([names, *self._titles()])
        lost, more = compare_figures(draft, map(self._draft.raw, removed), cleaned, repeatable)
        if lost or more:
            differences = [*(f"{one!r} is gone" for one in lost[:5]), *(f"{one!r} is new" for one in more[:5])]
            yield Refusal("figures_differ", ", ".join(differences))
        if source_url and source_url in draft and source_url not in cleaned:
            yield Refusal("removed_source", f"{source_url} was removed from the text")
        yield from self._sizes()

    def _titles(self) -> Iterator[str]:
        for leaf in self._draft.leaves:
            if leaf.kind == "heading":
                yield self._draft.raw(leaf)
            elif leaf.rows:
                # The header as it is written: its links may come with its words, in each row.
                yield self._draft.raw(leaf).partition("\n")[0]
                yield " ".join(row[0].text for row in leaf.rows if row)

    def _sizes(self) -> Iterator[Refusal]:
        before, after = len(self._draft.markdown.split()), len(self._cleaned.markdown.split())
        if before >= _SOME_WORDS and after < before * _LEAST_SHARE and not self._has_table_prose:
            yield Refusal("too_much_removed", f"{after} of {before} words remain")
        if before and not after:
            yield Refusal("too_much_removed", "nothing remains")
        if after > before * _MOST_TIMES + _MOST_MORE:
            yield Refusal("too_long", f"{after} words of {before}")

    @property
    def _has_table_prose(self) -> bool:
        return "prose" in self._pairing.how.values()

    def _figures(self, removed: int) -> dict[str, int]:
        how = list(self._pairing.how.values())
        return {
            "blocks": len(self._draft.leaves),
            "kept": how.count("same"),
            "headings": how.count("grown") + how.count("promoted"),
            "tables_as_prose": len({of for one, of in self._pairing.of.items() if self._pairing.how[one] == "prose"}),
            "removed": removed,
        }

    def _refusal(self, code: str, says: str, draft: Leaf | None, cleaned: Leaf | None) -> Refusal:
        return Refusal(code, says, _place_of_leaf(self._draft, draft), _place_of_leaf(self._cleaned, cleaned))


def _place_of_leaf(text: LeafText, leaf: Leaf | None) -> Place | None:
    if leaf is None:
        return None
    return Place(leaf.start, leaf.end, text.raw(leaf).strip()[:_QUOTE_CHARS])
