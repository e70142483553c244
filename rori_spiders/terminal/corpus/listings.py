"""Print corpus runs, pages, versions, and the references between pages."""

import argparse
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from sqlalchemy import Row

from rori_spiders.corpus.loader.references import find_references
from rori_spiders.corpus.publishing.loader_runner import loader_status
from rori_spiders.corpus.run_states import WAITING
from rori_spiders.corpus.runs.publication import unlisted_pages
from rori_spiders.corpus.runs.review import open_questions
from rori_spiders.ledger.corpus import published_versions, run_pages, run_states
from rori_spiders.ledger.corpus.run_states import CorpusRun
from rori_spiders.runtime.control_characters import escape_one_line
from rori_spiders.runtime.plurals import format_count
from rori_spiders.terminal.corpus.session import CorpusSession
from rori_spiders.terminal.listing import Column, write_listing

RUN_COLUMNS = (
    Column("domain", "domain"),
    Column("state", "state", colours=(("failed", "red"), ("published", "green"), ("ready_for_review", "yellow"))),
    Column("kind", "kind"),
    Column("started_at", "started (UTC)"),
    Column("requested_by", "by"),
    Column("include", "included", right=True),
    Column("exclude", "excluded", right=True),
    Column("needs_review", "to decide", right=True),
    Column("approved", "approved", right=True),
    Column("version", "published", right=True),
    Column("says", "why"),
    Column("run_id"),
    Column("model"),
    Column("worker"),
    Column("base_version"),
)
PAGE_COLUMNS = (
    Column("url", "page"),
    Column("decision", "decision", colours=(("needs_review", "yellow"), ("exclude", "red"))),
    Column("rule", "by"),
    Column("reason", "why"),
    Column("gate", "gate", colours=(("needs_review", "yellow"), ("excluded", "red"))),
    Column("flags", "flags"),
    Column("review", "review", colours=(("approved", "green"), ("rejected", "red"))),
    Column("page_id"),
    Column("title"),
    Column("section"),
    Column("decided_by"),
    Column("confidence"),
    Column("met"),
    Column("met_reason"),
    Column("got"),
    Column("got_reason"),
    Column("cleaned_by"),
    Column("doc_id"),
    Column("document_object"),
    Column("content_hash"),
    Column("findings"),
    Column("reviewed_by"),
    Column("review_reason"),
    Column("action"),  # empty: to be filled in, and taken back by `review --decisions`
    Column("action_reason"),
)
VERSION_COLUMNS = (
    Column("domain", "domain"),
    Column("version", "version", right=True),
    Column("state", "state"),
    Column("published_at", "published (UTC)"),
    Column("published_by", "by"),
    Column("pages", "pages", right=True),
    Column("tombstones", "tombstones", right=True),
    Column("rolled_back_to", "as version", right=True),
    Column("loader_state", "loader", colours=(("failed", "red"), ("done", "green"), ("unknown", "yellow"))),
    Column("loader_says", "why"),
    Column("approved_by"),
    Column("approved_at"),
    Column("prefix"),
    Column("manifest_hash"),
    Column("run_id"),
    Column("loader_execution"),
    Column("loader_at"),
)
#: How many failures and questions are printed.
_MOST_SHOWN = 12


def write_runs(session: CorpusSession, domain: str | None, form: str, limit: int) -> int:
    """List the latest runs of one domain or of all; return their number."""
    found = session.ledger.read(partial(run_states.list_runs, domain=domain, limit=limit))
    return write_listing((_run_row(session, run) for run in found), RUN_COLUMNS, form)


def write_versions(session: CorpusSession, domain: str | None, form: str, limit: int) -> int:
    """List the latest versions, newest first; return their number."""
    rows = session.ledger.read(partial(published_versions.list_versions, domain=domain, limit=limit))
    latest = {
        name: session.ledger.read(partial(published_versions.latest_version, domain=name))
        for name in {row.domain for row in rows}
    }
    return write_listing((_version_row(session, row, latest[row.domain]) for row in rows), VERSION_COLUMNS, form)


def write_pages(session: CorpusSession, run: CorpusRun, where: Mapping[str, Any], form: str) -> int:
    """List the pages of a run that match *where*; return their number."""
    rows = session.ledger.read(partial(run_pages.list_pages, run_id=run.run_id, **where))
    return write_listing((_page_row(row, for_people=form == "table") for row in rows), PAGE_COLUMNS, form)


def run_lines(session: CorpusSession, run: CorpusRun) -> Iterator[str]:
    """A run as lines: state, page counts, open questions."""
    rows = session.ledger.read(partial(run_pages.list_pages, run_id=run.run_id))
    yield f"{run.domain}: {run.state}, {len(rows):,} pages known"
    included = [row for row in rows if row.decision == "include"]
    for name, among in (("decision", rows), ("gate", included), ("review", included)):
        counted = Counter(value for row in among if (value := getattr(row, name)))
        if counted:
            yield f"  {name}: {', '.join(f'{number:,} {value}' for value, number in counted.most_common())}"
    failed = [row for row in included if row.got == "failed"]
    for row in failed[:_MOST_SHOWN]:
        yield escape_one_line(f"  no text: {row.url}: {row.got_reason}")
    if older := sum("older_cleaning" in (row.flags or ()) for row in rows):
        how = f"scrapy corpus review {run.domain} --clean-again /"
        yield f"  {format_count(older, 'text')} approved with an older cleaning; to see the new one: {how}"
    if run.state in WAITING and (unlisted := unlisted_pages(session.store, run, rows)):
        what = f"{format_count(len(unlisted), 'page of the latest version')} that no source of this run lists"
        yield escape_one_line(f"  ! {what} would be removed: {', '.join(unlisted[:_MOST_SHOWN])}")
    if run.state == "ready_for_review":
        yield from (escape_one_line(f"  ! {question}") for question in open_questions(rows)[:_MOST_SHOWN])
        yield f"Next: scrapy corpus review {run.domain}, then scrapy corpus approve {run.domain}"


def _run_row(session: CorpusSession, run: CorpusRun) -> dict[str, Any]:
    known = {column.key: getattr(run, column.key, None) for column in RUN_COLUMNS}
    latest = session.ledger.read(partial(published_versions.latest_version, domain=run.domain))
    decisions, reviews = _count_pages_by(session, run, "decision"), _count_pages_by(session, run, "review")
    counts = {name: decisions.get(name, 0) for name in ("include", "exclude", "needs_review")}
    return {**known, **counts, "approved": reviews.get("approved", 0), "version": latest.version if latest else None}


def _version_row(session: CorpusSession, row: Row[Any], latest: Row[Any] | None) -> dict[str, Any]:
    is_latest = latest is not None and latest.version == row.version
    state, says = loader_status(row, session.settings, now=session.now(), is_latest=is_latest)
    return {**row._mapping, "loader_state": state, "loader_says": says}


def _page_row(row: Row[Any], *, for_people: bool) -> dict[str, Any]:
    known = {**row._mapping, "action": None, "action_reason": None}
    if for_people:
        known["flags"] = ", ".join(known["flags"] or ())
        known["reason"] = (known["reason"] or "")[:80]
    return known


def _count_pages_by(session: CorpusSession, run: CorpusRun, column: str) -> Counter[str | None]:
    return session.ledger.read(partial(run_pages.count_values, run_id=run.run_id, column=column))


REFERENCE_COLUMNS = (
    Column("from_url", "from"),
    Column("citation", "cites"),
    Column("resolution", "resolution"),
    Column("to_url", "to"),
    Column("from_title"),
    Column("to_title"),
    Column("kind"),
    Column("chunk"),
    Column("target_chunk"),
    Column("start"),
    Column("end"),
)


def write_references(session: CorpusSession, opts: argparse.Namespace) -> int:
    """List the references of the latest version that match the options."""
    wanted = {"to": opts.to, "from_page": opts.from_page, "resolution": opts.resolution}
    found = find_references(session.store, opts.domain, **wanted)
    write_listing(found.rows, REFERENCE_COLUMNS, opts.format)
    if opts.format == "table":
        print(f"{len(found.rows):,} of {found.in_all:,} references of version {found.version}")
    return 0
