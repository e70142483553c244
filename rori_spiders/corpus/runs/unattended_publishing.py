"""Publish a draft without a person, where the site rules allow it and every change is of little risk.

The policy acts in its own name: it approves each page with the reason, then the run, and publishes.
`review_reasons` compares two documents and lists in sentences why a person has to look; what is uncertain has a
sentence.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from sqlalchemy import Row

from rori_spiders.content.changes.compare import Change, SectionChange, compare
from rori_spiders.content.changes.model import Words
from rori_spiders.corpus.documents.document import Document, parse_document
from rori_spiders.corpus.publishing.current_version import read_current_version
from rori_spiders.corpus.publishing.publisher import REDESIGN_SHARE, forbidden_entries
from rori_spiders.corpus.publishing.version_manifest import VersionPage
from rori_spiders.corpus.runs import review
from rori_spiders.corpus.runs.delta_drafts import CHANGED
from rori_spiders.corpus.runs.page_texts import GONE, STAGED
from rori_spiders.corpus.runs.publication import entries_of_run, publish_run
from rori_spiders.corpus.runs.review import PUBLISHABLE, lock_run
from rori_spiders.corpus.runs.run import DELTA, MACHINES, RunContext
from rori_spiders.corpus.site_rules import UnattendedRules
from rori_spiders.exceptions import ActionRefused, PublishingRefused, UsageError
from rori_spiders.ledger.corpus import run_pages, run_states
from rori_spiders.ledger.corpus.run_states import CorpusRun
from rori_spiders.ledger.operations.activity_log import POLICY
from rori_spiders.reviews.corpus_alerts import note_draft, note_unattended
from rori_spiders.runtime.plurals import format_count

#: Keys of the front matter whose change needs review.
_COMPARED_FIELDS = ("title", "language", "source_url", "source_subtype", "doc_id", "page_id", "published_at")


def review_reasons(old: Document, new: Document, most_words: int) -> list[str]:
    """Return why replacing *old* by *new* needs review, when up to *most_words* may be added or removed."""
    found = [f"`{name}` changed" for name in _COMPARED_FIELDS if getattr(old.front, name) != getattr(new.front, name)]
    words = 0
    for section in compare(_indexed_text(old), _indexed_text(new)).sections:
        found += _section_reasons(section)
        for change in section.changes:
            found += _change_reasons(change)
            words += sum(map(_count_changed_words, change.texts))
    if words > most_words:
        found.append(f"{format_count(words, 'word')} changed")
    return list(dict.fromkeys(found))


def _indexed_text(document: Document) -> str:
    """Return the indexed text, which includes the description."""
    return f"{document.front.description or ''}\n\n{document.body}"


def _section_reasons(section: SectionChange) -> Iterator[str]:
    if section.kind != "changed" or section.path_before is not None or section.stands_after is not None:
        yield f"a section was {section.kind}: {section.path or 'the beginning'}"


def _change_reasons(change: Change) -> Iterator[str]:
    if change.kind == "layout":
        return
    if change.kind != "changed":
        yield f"a {change.what} was {change.kind.replace('_', ' ')}"
    if change.coarse:
        yield f"a {change.what} was not compared word by word: {change.coarse}"
    if change.what == "heading":
        yield "a heading changed"
    marks = [*change.marks, *(mark for cell in change.cells for mark in cell.marks)]
    yield from (f"{mark.kind} changed: {mark.old or 'none'} to {mark.new or 'none'}" for mark in marks)
    yield from (f"a proper name changed: {word}" for words in change.texts for word in _changed_names(words))


def _changed_words(words: Words) -> Iterator[str]:
    """Return added and removed words and punctuation, without emphasis and escapes."""
    for op, text in words:
        if op != "=":
            yield from (word for word in text.split() if word.strip("*_\\"))


def _count_changed_words(words: Words) -> int:
    return sum(1 for _ in _changed_words(words))


def _changed_names(words: Words) -> Iterator[str]:
    """Return changed words with a capital: names and defined terms, and some that only begin a sentence."""
    return (word for word in _changed_words(words) if any(map(str.isupper, word)))


# Approving and publishing, as the actor `policy`.

_MAX_REASONS = 3
_REASON = "published without review: the site rules allow a change this small"


def publish_unattended(work: RunContext, rules: UnattendedRules) -> tuple[Row[Any] | None, list[str]]:
    """Publish the waiting draft of *work*; return the version's row, or None after recording why it needs review.

    Raises StagingError and LedgerError when publishing could not be finished: `scrapy corpus publish` does.
    """
    rows = work.ledger.read(partial(run_pages.list_pages, run_id=work.run.run_id))
    row, why = _publish_or_explain(work, rules, rows)
    says = work.run.says or format_count(len(rows), "page")
    if row is not None:
        log_values = {"domain": work.run.domain, "version": row.version, "says": says}
        work.ledger.write(partial(note_unattended, **log_values, now=work.now()))
    elif work.ledger.read(partial(run_states.find_run, run_id=work.run.run_id)) == work.run:
        # The alert names the reasons.
        log_values = {"domain": work.run.domain, "says": f"{says}. Needs review: {'; '.join(why[:_MAX_REASONS])}"}
        work.ledger.write(partial(note_draft, **log_values, now=work.now()))
    return row, why


def _publish_or_explain(
    work: RunContext, rules: UnattendedRules, rows: Sequence[Row[Any]]
) -> tuple[Row[Any] | None, list[str]]:
    if why := _reasons_for_review(work, rules, rows):
        return None, why
    try:
        run = _approve_run_and_pages(work, rows)
    except UsageError as error:  # somebody has acted meanwhile
        return None, [str(error)]
    try:
        return publish_run(replace(work, run=run), by=POLICY), []
    except PublishingRefused as error:
        _withdraw_approvals(work, rows, str(error))
        return None, [str(error)]


def _reasons_for_review(work: RunContext, rules: UnattendedRules, rows: Sequence[Row[Any]]) -> list[str]:
    run, base = work.run, read_current_version(work.store, work.run.domain).manifest
    if run.kind != DELTA or run.requested_by not in MACHINES or base is None or base.version != run.base_version:
        return ["a person started it, or another version was published meanwhile"]
    if len(rows) > rules.most_pages:
        return [f"{format_count(len(rows), 'page')} changed, more than {rules.most_pages}"]
    if len(rows) > len(base.pages) * REDESIGN_SHARE:
        return [f"{len(rows)} of {format_count(len(base.pages), 'page')} changed, more than a third"]
    published = {page.source_url: page for page in base.pages}
    found = [f"{row.url}: {why}" for row in rows for why in _page_reasons(work, rules, row, published.get(row.url))]
    return found or forbidden_entries(entries_of_run(work))


def _page_reasons(work: RunContext, rules: UnattendedRules, row: Row[Any], old: VersionPage | None) -> list[str]:
    if row.got == GONE:
        return ["it is gone"]
    if old is None:
        return ["it is new"]
    if (row.decision, row.rule, row.got) != ("include", CHANGED, STAGED) or row.document_object is None:
        return [f"the page was not only changed ({row.decision}, {row.rule}, {row.got})"]
    if row.gate != PUBLISHABLE or row.review is not None:
        return [f"its gate is {row.gate}" if row.review is None else f"a person has {row.review} it"]
    if row.cleaning_object and json.loads(work.text(row.cleaning_object)).get("removed"):
        return ["a model removed text"]
    return review_reasons(
        parse_document(work.text(old.sha256)), parse_document(work.text(row.document_object)), rules.most_words
    )


def _approve_run_and_pages(work: RunContext, rows: Sequence[Row[Any]]) -> CorpusRun:
    """Approve pages and run as judged. Raises UsageError when anything changed since."""
    with lock_run(work.ledger, work.run.run_id, by=POLICY, now=work.now(), states=("ready_for_review",)) as locked:
        if run_pages.list_pages(locked.conn, locked.run.run_id) != rows:
            raise ActionRefused("it was changed in the meantime")
        for row in rows:
            review.approve_page(locked, row.page_id, row.document_object, _REASON)
        review.approve_run(locked)
    run = work.ledger.read(partial(run_states.find_run, run_id=work.run.run_id))
    assert run is not None
    return run


def _withdraw_approvals(work: RunContext, rows: Sequence[Row[Any]], why: str) -> None:
    """Withdraw all approvals, so that the draft waits for a person."""
    with lock_run(work.ledger, work.run.run_id, by=POLICY, now=work.now(), states=("approved",)) as locked:
        review.withdraw_approval(locked, why)
        for row in rows:
            review.withdraw_page_approval(locked, row)
        note_draft(locked.conn, locked.run.domain, work.run.says, now=locked.now)
