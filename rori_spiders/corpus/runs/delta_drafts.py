"""Keep a published corpus fresh: open a delta draft with just the changed, new and removed pages.

Nothing is published here: a draft is a run like any other and goes to review. `draft_for_collections` does it for
every corpus whose sources were collected since the last check; a corpus that could not be checked is reported, and
checked again next time.
"""

from collections.abc import Callable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from sqlalchemy import Connection

from rori_spiders.corpus.publishing.current_version import read_current_version
from rori_spiders.corpus.publishing.version_manifest import LinkedDocument, Manifest
from rori_spiders.corpus.run_states import WAITING, WORK
from rori_spiders.corpus.runs.page_map import new_page_row
from rori_spiders.corpus.runs.page_texts import GONE, STAGED, linked_document_of, own_text
from rori_spiders.corpus.runs.run import DELTA, MACHINES, create_run, named_sources, sources_of, sources_of_corpus
from rori_spiders.exceptions import ActionRefused, RoriError
from rori_spiders.ledger.corpus import published_versions, run_pages, run_states, source_texts
from rori_spiders.ledger.corpus.run_states import CorpusRun
from rori_spiders.ledger.corpus.source_texts import HeldText
from rori_spiders.ledger.database import Ledger
from rori_spiders.ledger.operations.activity_log import SYSTEM
from rori_spiders.manifest.catalog import Catalog
from rori_spiders.runtime.plurals import format_count
from rori_spiders.staging.store import Store

#: Rule name of a draft's pages that come from the published version.
CHANGED = "changed"


@dataclass(frozen=True, slots=True)
class CorpusChanges:
    """Differences from the version: rows of changed and removed pages, and of new ones for triage."""

    changed: tuple[Mapping[str, Any], ...] = ()
    gone: tuple[Mapping[str, Any], ...] = ()
    new: tuple[Mapping[str, Any], ...] = ()
    published: int = 0

    @property
    def rows(self) -> list[Mapping[str, Any]]:
        return [*self.changed, *self.gone, *self.new]

    @property
    def says(self) -> str:
        counts = ((self.changed, "changed"), (self.new, "new"), (self.gone, "gone"))
        return ", ".join(f"{format_count(len(rows), 'page')} {what}" for rows, what in counts if rows)


def find_changes(ledger: Ledger, store: Store, domain: str, sources: Sequence[str]) -> CorpusChanges:
    """Compare the stored pages of *sources* with the latest version of *domain*. Raises StagingError."""
    base = read_current_version(store, domain).manifest
    if base is None:
        return CorpusChanges()
    known = {page.source_url: page for page in base.pages}
    held = ledger.read(partial(source_texts.load_held_texts, urls=list(known), sources=sources))
    linked = {url: page.linked for url, page in known.items() if page.linked}
    others = ledger.read(partial(_changed_documents, linked=linked, sources=sources))
    changed, gone = [], []
    for url, text in held.items():
        if text.gone:
            gone.append(_decided_row(url, text, "gone", "removed by the publisher"))
        elif text.body_object != (linked[url].own_hash if url in linked else known[url].raw_hash) or url in others:
            changed.append(_decided_row(url, text, CHANGED, "the text changed since it was published"))
    back = ledger.read(partial(_rolled_back_period, base=base))
    fresh = ledger.read(partial(source_texts.load_unlisted_texts, domain=domain, sources=sources, rolled_back=back))
    new = [_text_row(url, text) for url, text in fresh.items() if url not in known]
    return CorpusChanges(tuple(changed), tuple(gone), tuple(new), len(base.pages))


def open_draft(
    ledger: Ledger, store: Store, catalog: Catalog, domain: str, *, by: str = SYSTEM, now: datetime
) -> CorpusRun | None:
    """Start a delta of *domain* if something changed, or add the changes to the waiting run; None: no changes.

    A run that a process works on, or that is not a published corpus's, is not touched. Raises StagingError, UsageError.
    """
    last = ledger.read(partial(run_states.newest_run, domain=domain, state="published"))
    if last is None:
        return None
    named = named_sources(domain, last.rules)
    try:
        its = sources_of_corpus(catalog, domain, named) if named is not None else sorted(sources_of(catalog, last))
    except RoriError as error:
        raise ActionRefused(
            f"the latest version of {domain} is of sources that the manifest no longer has, so changes are unknown. "
            f"Start a full run, which takes the sources of now (scrapy corpus run {domain}): {error}"
        ) from error
    if not its:
        raise ActionRefused(
            f"no source collects the pages of {domain}, so changes are unknown. Start a full run, which fetches "
            f"them (scrapy corpus run {domain} --site {last.target['url']})"
        )
    waiting = ledger.read(partial(run_states.find_open_run, domain=domain))
    if waiting is not None:
        return _add_to_waiting_run(ledger, store, waiting, its, now)
    found = find_changes(ledger, store, domain, its)
    if not found.rows:
        return None
    target = {"sources": its} if named is not None else last.target
    begun = partial(
        create_run, domain=domain, target=target, rules=last.rules, model=last.model, by=by, now=now, kind=DELTA,
        found=found.rows, says=f"{found.says} of {found.published:,} published",
    )  # fmt: skip
    return ledger.write(begun)


def _add_to_waiting_run(
    ledger: Ledger, store: Store, run: CorpusRun, sources: Sequence[str], now: datetime
) -> CorpusRun | None:
    """Update the pages of a waiting run whose texts changed since.

    A draft of changes takes in what has changed or gone since it began, too. What is new waits for the next one: it is
    triaged, and this one has passed that.
    """
    if run.state not in WAITING:
        return None
    found = find_changes(ledger, store, run.domain, sources) if run.kind == DELTA else CorpusChanges()

    def renewed(conn: Connection) -> bool:
        rows = {row.url: row for row in run_pages.list_pages(conn, run.run_id, decision="include", got=STAGED)}
        held = source_texts.load_held_texts(conn, list(rows), sources)
        linked = {url: made for url, row in rows.items() if (made := linked_document_of(row))}
        stale = {url for url, text in held.items() if _is_stale(text, own_text(rows[url]))}
        stale |= _changed_documents(conn, linked, sources)
        listed = {row.page_id for row in run_pages.list_pages(conn, run.run_id)}
        more = [row for row in (*found.changed, *found.gone) if row["page_id"] not in listed]
        says = f"{format_count(len(stale) + len(more), 'page')} changed"
        if not (stale or more) or not run_states.move_run(conn, run, "scraping", now=now, says=says):
            return False
        run_pages.reset_columns(
            conn, run.run_id, [rows[url].page_id for url in sorted(stale)], run_pages.FETCHED_COLUMNS
        )
        run_pages.add_pages(conn, run.run_id, more)
        return True

    return ledger.read(partial(run_states.find_run, run_id=run.run_id)) if ledger.write(renewed) else None


def _is_stale(text: HeldText, raw: str | None) -> bool:
    return text.gone or text.body_object != raw


def _changed_documents(conn: Connection, linked: Mapping[str, LinkedDocument], sources: Sequence[str]) -> set[str]:
    """Return pages whose linked document changed or was removed; documents without a source are not watched."""
    held = source_texts.load_held_texts(conn, sorted({one.url for one in linked.values()}), sources)
    return {page for page, one in linked.items() if one.url in held and _is_stale(held[one.url], one.raw_hash)}


def _rolled_back_period(conn: Connection, base: Manifest) -> tuple[datetime, datetime] | None:
    """Return the start of the restored version's run and the time of the rollback; None if *base* is not a rollback."""
    its = published_versions.find_version(conn, base.domain, base.version)
    row = published_versions.original_version(conn, base.domain, base.version)
    if its is None or row is None or row == its or row.run_id is None:
        return None
    run = run_states.find_run(conn, row.run_id)
    return None if run is None else (run.started_at, its.begun_at)


def _text_row(url: str, text: HeldText) -> dict[str, Any]:
    values = {"source_id": text.source_id, "title": text.title, "dated": text.published, "met": "captured"}
    return {**new_page_row(url, "change"), **values}


def _decided_row(url: str, text: HeldText, rule: str, reason: str) -> dict[str, Any]:
    decision = {"decision": "include", "decided_by": "rule", "rule": rule, "reason": reason, "confidence": 1.0}
    return {**_text_row(url, text), **decision, "met": GONE if text.gone else "captured"}


# Automatic drafts, for collected sources.


def draft_for_collections(
    ledger: Ledger,
    store: Callable[[], Store],
    catalog: Catalog,
    looked: MutableMapping[str, datetime],
    *,
    now: datetime,
) -> tuple[list[CorpusRun], list[str]]:
    """Compare each published corpus whose sources were collected since *looked*, and update *looked*.

    *store* opens the staging area: it is asked for where there is something to compare, which is seldom.
    """
    found: dict[str, CorpusRun] = {}
    failures = []
    for domain in ledger.read(partial(run_states.domains_in_state, state="published")):
        try:
            if ledger.read(partial(_is_due, domain=domain, looked=looked.get(domain))):
                draft = open_draft(ledger, store(), catalog, domain, now=now)
                found |= {draft.run_id: draft} if draft is not None else {}
            looked[domain] = now
        except RoriError as error:
            failures.append(f"{domain}: {error}")
    left = ledger.read(partial(run_states.idle_runs_begun_by, by=MACHINES, states=WORK, now=now))
    return [*({run.run_id: run for run in left} | found).values()], failures


def _is_due(conn: Connection, domain: str, looked: datetime | None) -> bool:
    last = run_states.newest_run(conn, domain, state="published")
    its = sorted(last.target.get("sources", ())) if last is not None else []
    return last is not None and source_texts.was_collected_since(conn, its, looked or last.started_at)
