"""Propose noise lines of a source from changes that a person called not material, with their effect on past changes.

Nothing holds by a proposal: a person puts the lines into the reviewed manifest, or leaves them.
"""

import json
import time
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby
from typing import Any

from rori_spiders.comparison.change_description import describe_difference, rule_of_block
from rori_spiders.comparison.change_log import HISTORY_DAYS, count_words_of_sections, day_of, site_of
from rori_spiders.comparison.change_report import change_sentence
from rori_spiders.comparison.importance import Importance
from rori_spiders.comparison.noise import SiteHistory, is_covered, noise_line_of, why_never_covered
from rori_spiders.comparison.staged_text import TextMissing
from rori_spiders.comparison.version_diff import TextArchive, compare_versions, read_version_texts
from rori_spiders.content.changes.model import Change, Difference
from rori_spiders.exceptions import ActionRefused, DamagedObject, UnknownName
from rori_spiders.ledger.pages import change_records, page_history
from rori_spiders.ledger.pages.change_records import ChangeFilter, ChangeRow
from rori_spiders.ledger.pages.page_history import VersionRow
from rori_spiders.ledger.pages.vocabulary import format_version_id

#: Past changes that are compared again, the newest first, and how long that may take: somebody waits for it.
MAX_PAST_CHANGES = 500
TIME_LIMIT_S = 20.0
_TOO_LITTLE = "too little of it stays the same, or its words say what somebody may, must or has to pay"
_FIGURES = frozenset({"number", "date", "amount", "percentage", "citation"})


@dataclass(frozen=True, slots=True)
class Effect:
    """A past change that noise lines would have ranked lower, and the figures (old, new) that changed in it."""

    change: ChangeRow
    importance: Importance  # it would have had
    figures: tuple[tuple[str | None, str | None], ...]


@dataclass(frozen=True, slots=True)
class NoiseProposal:
    """Noise lines, the lines of the chosen changes that get none and why, and what they would have done.

    *compared* of *past* changes above low importance were compared again. *effects* are newest first.
    """

    source_id: str
    lines: tuple[str, ...]
    left: tuple[str, ...]
    effects: tuple[Effect, ...]
    compared: int
    past: int

    @property
    def silenced(self) -> list[Effect]:
        """Those that would rank low."""
        return [effect for effect in self.effects if effect.importance is Importance.LOW]

    @property
    def with_figures(self) -> list[Effect]:
        """Those in which a number, date, amount or citation changed: to be read before the lines hold."""
        return [effect for effect in self.effects if effect.figures]

    def manifest_lines(self, present: Sequence[str]) -> str:
        """The line of the source's ``scrape_config``, with those that it has."""
        wanted = [*present, *(line for line in self.lines if line not in present)]
        return f'"noise_lines": {json.dumps(wanted, ensure_ascii=False)}'


@dataclass(frozen=True, slots=True)
class _Comparison:
    difference: Difference
    old: VersionRow
    new: VersionRow
    old_words: int
    words_of: Mapping[str, int]

    def blocks(self, restless: Collection[str] = (), site: SiteHistory | None = None) -> list[Change]:
        """The blocks that do not rank low anyway: by their words, and by what the page and its site showed before."""
        return [
            change
            for section in self.difference.sections
            for change in section.changes
            if rule_of_block(change, section.path, self.new.page_id, restless, (), site).level > Importance.LOW
        ]


def propose_noise_lines(archive: TextArchive, chosen: Collection[tuple[int, int]]) -> NoiseProposal:
    """Propose noise lines from changes, by page and version.

    Raises UnknownName for an id of no change, ActionRefused for changes of several sources, for one that nobody called
    not material, and for one whose texts are not at hand.
    """
    with archive.ledger.connect() as conn:
        found = change_records.find_changes(conn, chosen)
        if unknown := [format_version_id(*one) for one in chosen if one not in {(c.page_id, c.seq) for c in found}]:
            raise UnknownName(f"no such change: {', '.join(unknown)}. `scrapy changes` lists them with their ids")
        _require_decided(found)
        source_id = found[0].source_id
        wanted = ChangeFilter(sources=(source_id,), importance=int(Importance.MEDIUM))
        past = list(change_records.list_changes(conn, wanted))
    lines: dict[str, None] = {}
    left: dict[str, None] = {}
    for change, site in _histories(archive, found):
        compared = _compare(archive, change)
        if compared is None:
            raise ActionRefused(f"{change.change_id}: its two texts are not at hand, so no line can be proposed")
        for block in compared.blocks(_restless_lines(archive, change), site):
            if is_covered(block, lines):
                continue
            if line := noise_line_of(block):
                lines[line] = None
            else:
                words = " ".join("".join(text for _, text in block.words).split())[:80] or block.what
                left[f"{words!r}: {why_never_covered(block) or _TOO_LITTLE}"] = None
    effects, looked_at = _find_effects(archive, past, tuple(lines))
    return NoiseProposal(source_id, tuple(lines), tuple(left), tuple(effects), looked_at, len(past))


def _require_decided(found: Sequence[ChangeRow]) -> None:
    if undecided := [one.change_id for one in found if one.decision != "not_material"]:
        names = ", ".join(undecided)
        raise ActionRefused(f"{names}: nobody has called it not material. `scrapy changes review` records a decision")
    if len(sources := {one.source_id for one in found}) > 1:
        raise ActionRefused(f"noise lines are of one source; these changes are of {', '.join(sorted(sources))}")


def _find_effects(archive: TextArchive, past: Sequence[ChangeRow], lines: Sequence[str]) -> tuple[list[Effect], int]:
    """What the lines would have done to past changes, and how many of these were compared in time."""
    end = time.monotonic() + TIME_LIMIT_S
    covered: dict[tuple[int, int], tuple[ChangeRow, _Comparison, list[Change]]] = {}
    looked_at = 0
    for change in past[:MAX_PAST_CHANGES] if lines else ():
        if time.monotonic() > end:
            break
        looked_at += 1
        compared = _compare(archive, change)
        if compared is not None and (blocks := [one for one in compared.blocks() if is_covered(one, lines)]):
            covered[change.page_id, change.seq] = change, compared, blocks
    effects: list[Effect] = []
    for change, site in _histories(archive, (change for change, _, _ in covered.values())):
        _, compared, blocks = covered[change.page_id, change.seq]
        described = describe_difference(
            compared.difference,
            compared.old,
            compared.new,
            change.url,
            old_words=compared.old_words,
            restless=_restless_lines(archive, change),
            noise_lines=lines,
            site=site,
            words_of=compared.words_of,
        )
        if described.importance < change.importance:
            marks = (mark for block in blocks for mark in block.marks if mark.kind in _FIGURES)
            figures = tuple(dict.fromkeys((mark.old, mark.new) for mark in marks))
            effects.append(Effect(change, described.importance, figures))
    return sorted(effects, key=lambda one: one.change.at, reverse=True), looked_at


def _restless_lines(archive: TextArchive, change: ChangeRow) -> set[str]:
    with archive.ledger.connect() as conn:
        return change_records.restless_lines(conn, change.page_id, change.seq)


def _histories(archive: TextArchive, changes: Iterable[ChangeRow]) -> Iterator[tuple[ChangeRow, SiteHistory]]:
    """Changes, the oldest of a site first, each with what the site had shown when it was described."""
    for site, its in groupby(sorted(changes, key=_site_and_time), lambda one: site_of(one.url)):
        chosen, history = list(its), SiteHistory()
        since, until = chosen[0].at - timedelta(days=HISTORY_DAYS), chosen[-1].at + timedelta(seconds=1)
        with archive.ledger.connect() as conn:
            shown = deque(change_records.list_details_of_site(conn, site, since, until))
        for change in chosen:
            while shown and (shown[0][1], shown[0][0]) < (change.at, change.page_id):
                page_id, at, details = shown.popleft()
                history.add_change(page_id, day_of(at), details)
            yield change, history


def _site_and_time(change: ChangeRow) -> tuple[str, datetime, int]:
    return site_of(change.url), change.at, change.page_id


def _compare(archive: TextArchive, change: ChangeRow) -> _Comparison | None:
    """The difference that a change is; None where there are no two texts of the page."""
    if change.from_seq is None:
        return None
    with archive.ledger.connect() as conn:
        versions = page_history.find_versions(conn, [(change.page_id, change.from_seq), (change.page_id, change.seq)])
    of = {version.seq: version for _, version in versions}
    old, new = of[change.from_seq], of[change.seq]
    if new.is_removal:
        return None
    try:
        texts = read_version_texts(archive, {page.page_id: page for page, _ in versions}, old, new)
    except (TextMissing, DamagedObject):
        return None
    words_of = count_words_of_sections(texts)
    return _Comparison(compare_versions(texts, old, new), old, new, len(texts.old.split()), words_of)


def proposal_document(proposal: NoiseProposal, present: Sequence[str]) -> dict[str, Any]:
    """A proposal for programs. *present*: the noise lines that the source has."""
    return {
        "source": proposal.source_id,
        "noise_lines": list(proposal.lines),
        "manifest": proposal.manifest_lines(present),
        "left": list(proposal.left),
        "past": proposal.past,
        "compared": proposal.compared,
        "effects": [
            {
                "change": effect.change.change_id,
                "captured_at": effect.change.at,
                "url": effect.change.url,
                "was": Importance(effect.change.importance).word,
                "importance": effect.importance.word,
                "figures": [list(figure) for figure in effect.figures],
                "sentence": change_sentence(effect.change),
            }
            for effect in proposal.effects
        ],
    }
