"""The door of the guards: a cleaned text judged against the draft that it was made of.

In: both as markdown without front matter; the page's title and address; the site's name; known boilerplate. Out: a
``Judgement``. A pure function: it believes nothing that the model says of its work.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rori_spiders.corpus.guards.changed import told_apart
from rori_spiders.corpus.guards.figures import has_unseen, hidden, unlike
from rori_spiders.corpus.guards.headings import Naming
from rori_spiders.corpus.guards.judgement import Judgement, Place, Refusal
from rori_spiders.corpus.guards.leaves import may_define, read
from rori_spiders.corpus.guards.pairing import pair
from rori_spiders.corpus.guards.places import Placing
from rori_spiders.corpus.guards.removed import Removal

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from rori_spiders.corpus.guards.leaves import Leaf, Text

#: What a reader of refusals is shown of a block.
_QUOTE = 200
#: Of a draft with at least so many words, half must remain. Of 237 real pages, half or more is never boilerplate.
_SOME_WORDS, _LEAST_SHARE = 40, 0.5
#: Tables told as prose repeat the titles of their columns; no more than this, and so many words, is ever needed.
_MOST_TIMES, _MOST_MORE = 3, 100


def judge(
    draft: str,
    cleaned: str,
    *,
    title: str | None,
    source_url: str | None = None,
    entity: str | None = None,
    boilerplate: Collection[str] = (),
) -> Judgement:
    """Whether *cleaned* says what *draft* says, and nothing else.

    *boilerplate*: texts of blocks that the site repeats on its pages, or that its rules name; they may be removed where
    they hold nothing. Never raises: what cannot be read is refused.
    """
    old, new = read(draft), read(cleaned)
    if old.markdown.strip() == new.markdown.strip():
        return Judgement((), (), {"blocks": len(old.leaves), "kept": len(old.leaves)})
    naming = Naming(title, entity)
    found = _Judge(old, new, naming, boilerplate).judge(title, source_url, entity)
    if found.passed and (may_define(draft) or may_define(cleaned)):
        # Readers differ on definition lists; it must hold for both.
        old, new = read(draft, definitions=True), read(cleaned, definitions=True)
        other = _Judge(old, new, naming, boilerplate).judge(title, source_url, entity)
        return found if other.passed else other
    return found


class _Judge:
    def __init__(self, draft: Text, cleaned: Text, naming: Naming, boilerplate: Collection[str]) -> None:
        self._draft = draft
        self._cleaned = cleaned
        self._pairing = pair(draft, cleaned, naming)
        self._placing = Placing(draft, cleaned, self._pairing, naming)
        self._removal = Removal(
            draft, self._pairing, frozenset(" ".join(one.split()).casefold() for one in boilerplate)
        )

    def judge(self, title: str | None, source_url: str | None, entity: str | None) -> Judgement:
        changed = told_apart(self._draft, self._cleaned, self._pairing)
        refusals = [self._refusal(*one) for one in changed]
        lost = {old.number for _, _, old, _ in changed if old is not None}
        refusals += [self._refusal(*one) for one in self._removal.refused(lost)]
        refusals += self._placing.wrong(self._refusal)
        removed = [self._draft.leaves[number] for number in self._pairing.gone if number not in lost]
        refusals += self._whole(source_url, f"{title or ''} {entity or ''}", removed)
        places = [place for leaf in removed if (place := _place(self._draft, leaf)) is not None]
        return Judgement(tuple(refusals), tuple(places), self._figures(len(removed)))

    def _whole(self, source_url: str | None, names: str, removed: Sequence[Leaf]) -> Iterator[Refusal]:
        draft, cleaned = self._draft.markdown, self._cleaned.markdown
        if (says := hidden(draft, cleaned)) is not None:
            yield Refusal("hidden_text", says)
        if any(count > self._draft.unread[char] for char, count in self._cleaned.unread.items()):
            yield Refusal("hidden_text", "it holds letters or digits that nobody is shown")
        for number, origin in self._pairing.of.items():
            leaf, old = self._cleaned.leaves[number], self._draft.leaves[origin]
            if has_unseen(raw := self._cleaned.raw(leaf)) and raw.strip() != self._draft.raw(old).strip():
                yield self._refusal("hidden_text", "characters that take no room", old, leaf)
        repeatable = " \n ".join([names, *self._titles()])
        lost, more = unlike(draft, map(self._draft.raw, removed), cleaned, repeatable)
        if lost or more:
            told = [*(f"{one!r} is gone" for one in lost[:5]), *(f"{one!r} is new" for one in more[:5])]
            yield Refusal("figures_differ", ", ".join(told))
        if source_url and source_url in draft and source_url not in cleaned:
            yield Refusal("removed_source", f"{source_url} no longer stands in the text")
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
        if before >= _SOME_WORDS and after < before * _LEAST_SHARE and not self._has_told:
            yield Refusal("too_much_removed", f"{after} of {before} words remain")
        if before and not after:
            yield Refusal("too_much_removed", "nothing remains")
        if after > before * _MOST_TIMES + _MOST_MORE:
            yield Refusal("too_long", f"{after} words of {before}")

    @property
    def _has_told(self) -> bool:
        return "told" in self._pairing.how.values()

    def _figures(self, removed: int) -> dict[str, int]:
        how = list(self._pairing.how.values())
        return {
            "blocks": len(self._draft.leaves),
            "kept": how.count("same"),
            "headings": how.count("grown") + how.count("promoted"),
            "tables_told": len({of for one, of in self._pairing.of.items() if self._pairing.how[one] == "told"}),
            "removed": removed,
        }

    def _refusal(self, code: str, says: str, draft: Leaf | None, cleaned: Leaf | None) -> Refusal:
        return Refusal(code, says, _place(self._draft, draft), _place(self._cleaned, cleaned))


def _place(text: Text, leaf: Leaf | None) -> Place | None:
    if leaf is None:
        return None
    return Place(leaf.start, leaf.end, text.raw(leaf).strip()[:_QUOTE])
