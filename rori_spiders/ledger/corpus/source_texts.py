"""The newest texts that sources hold of URLs, and the evidence of usage rights recorded with them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, and_, or_, select

from rori_spiders.ledger.audit.audit_log import ModelRows, with_whole_values
from rori_spiders.ledger.tables import audit, corpus_pages, corpus_runs, envelopes, pages, runs, versions
from rori_spiders.urls.canonical import url_hash

#: URLs of one statement.
BATCH_SIZE = 200


@dataclass(frozen=True, slots=True)
class HeldText:
    """The newest version of a page. ``at``: when the publisher's server gave it; ``gone``: that it was removed.

    ``envelope_path``: its envelope in the staging area, if it has one. ``raw_object``: the bytes that it was read from.
    """

    source_id: str
    title: str | None
    body_object: str
    published: str | None
    at: datetime
    gone: bool
    effective: str | None = None
    envelope_path: str | None = None
    raw_object: str | None = None


def load_titles(conn: Connection, sources: Sequence[str]) -> list[tuple[str, str]]:
    """URL and title of the newest texts that *sources* hold."""
    is_newest = (versions.c.page_id == pages.c.page_id) & (versions.c.seq == pages.c.last_seq)
    query = select(pages.c.url, versions.c.title).join_from(pages, versions, is_newest)
    query = query.where(pages.c.source_id.in_(sources), versions.c.title.is_not(None))
    return [(row.url, row.title) for row in conn.execute(query)]


def load_held_texts(conn: Connection, urls: Sequence[str], sources: Sequence[str]) -> dict[str, HeldText]:
    """URL -> its newest text, of the first of *sources* that has one."""
    found: dict[str, HeldText] = {}
    for at in range(0, len(urls), BATCH_SIZE):
        found |= _load_batch(conn, urls[at : at + BATCH_SIZE], sources)
    return found


def _load_batch(conn: Connection, urls: Sequence[str], sources: Sequence[str]) -> dict[str, HeldText]:
    is_newest = (versions.c.page_id == pages.c.page_id) & (versions.c.seq == pages.c.last_seq)
    its = (pages.c.source_id, pages.c.url, pages.c.gone_at, versions.c.title, versions.c.body_object)
    dates = (versions.c.published, versions.c.effective, versions.c.captured_at, versions.c.raw_object)
    is_its_envelope = and_(
        envelopes.c.source_id == pages.c.source_id,
        envelopes.c.url_hash == pages.c.url_hash,
        envelopes.c.content_hash == versions.c.content_hash,
        envelopes.c.newest,
        envelopes.c.state.in_(("staged", "indexed")),
    )
    query = select(*its, *dates, envelopes.c.path.label("envelope_path"))
    query = query.join_from(pages, versions, is_newest).outerjoin(envelopes, is_its_envelope)
    wanted = [url_hash(url) for url in urls]
    query = query.where(pages.c.source_id.in_(sources), pages.c.url_hash.in_(wanted))
    found: dict[str, HeldText] = {}
    # Of a page that one source has lost and another still has, the text counts.
    for row in conn.execute(query.order_by(pages.c.gone_at.is_not(None), pages.c.source_id)):
        of = (row.source_id, row.title, row.body_object, row.published, row.captured_at)
        more = {"effective": row.effective, "envelope_path": row.envelope_path, "raw_object": row.raw_object}
        text = HeldText(*of, gone=row.gone_at is not None, **more)
        found.setdefault(row.url, text)
    return found


def was_collected_since(conn: Connection, sources: Sequence[str], since: datetime) -> bool:
    """Whether a run of one of *sources* has ended since then."""
    its = select(runs.c.run_id).where(runs.c.source_id.in_(sources), runs.c.finished_at >= since).limit(1)
    return conn.execute(its).one_or_none() is not None


def load_unlisted_texts(
    conn: Connection, domain: str, sources: Sequence[str], *, rolled_back: tuple[datetime, datetime] | None = None
) -> dict[str, HeldText]:
    """URL -> text, of what *sources* hold and no run of the corpus of *domain* has listed.

    A run that was given up does not count. *rolled_back*: nor does what runs begun after the first time and before
    the second have included.
    """
    is_newest = (versions.c.page_id == pages.c.page_id) & (versions.c.seq == pages.c.last_seq)
    listed = (
        select(corpus_pages.c.url)
        .join_from(corpus_pages, corpus_runs, corpus_pages.c.run_id == corpus_runs.c.run_id)
        .where(corpus_runs.c.domain == domain, corpus_runs.c.state != "cancelled", corpus_pages.c.url == pages.c.url)
    )
    if rolled_back is not None:
        begun = corpus_runs.c.started_at
        undone = (begun > rolled_back[0]) & (begun < rolled_back[1]) & (corpus_pages.c.decision == "include")
        listed = listed.where(or_(corpus_pages.c.decision.is_(None), ~undone))
    its = (pages.c.source_id, pages.c.url, versions.c.title, versions.c.body_object, versions.c.published)
    query = select(*its, versions.c.captured_at).join_from(pages, versions, is_newest)
    query = query.where(pages.c.source_id.in_(sources), pages.c.gone_at.is_(None), ~listed.exists())
    found: dict[str, HeldText] = {}
    for row in conn.execute(query.order_by(pages.c.source_id, pages.c.url)):
        text = HeldText(row.source_id, row.title, row.body_object, row.published, row.captured_at, gone=False)
        found.setdefault(row.url, text)
    return found


# What was seen of the newest texts of URLs, and what their publishers said with them: as the corpus judges rights.


@dataclass(frozen=True, slots=True)
class RightsEvidence:
    """Evidence about the usage rights of a URL. ``headers``, ``robots_object``, ``raw_hash``: of its last text.

    ``raw_object``: the bytes as received of its newest text. What came later with the same text was not kept.
    """

    source_id: str
    raw_object: str
    raw_hash: str | None
    headers: Mapping[str, Sequence[str]] | None
    robots_object: str | None


def load_rights_evidence(conn: Connection, urls: Sequence[str], sources: Sequence[str]) -> dict[str, RightsEvidence]:
    """URL -> what is known of it, of the first of *sources* that holds it; of some hundreds at once."""
    is_newest = (versions.c.page_id == pages.c.page_id) & (versions.c.seq == pages.c.last_seq)
    its = select(pages.c.source_id, pages.c.url, versions.c.raw_object).join_from(pages, versions, is_newest)
    wanted = [url_hash(url) for url in urls]
    query = its.where(pages.c.source_id.in_(sources), pages.c.url_hash.in_(wanted), pages.c.gone_at.is_(None))
    rows = list(conn.execute(query.order_by(pages.c.source_id)))
    answers = _newest_responses(conn, wanted, sources)
    found: dict[str, RightsEvidence] = {}
    for row in rows:
        raw_hash, headers, robots = answers.get((row.source_id, row.url), (None, None, None))
        found.setdefault(row.url, RightsEvidence(row.source_id, row.raw_object, raw_hash, headers, robots))
    return found


def _newest_responses(
    conn: Connection, hashes: Sequence[str], sources: Sequence[str]
) -> dict[tuple[str, str], tuple[Any, ...]]:
    """(Source, URL) -> hash of the bytes, headers and robots.txt of the newest answer that was content."""
    query = select(audit).where(
        audit.c.url_hash.in_(hashes),
        audit.c.manifest_id.in_(sources),
        audit.c.kind == "page",
        audit.c.verdict == "content",
        audit.c.response_headers.is_not(None),
    )
    newest = {
        (row["manifest_id"], row["url"]): row
        for row in conn.execute(query.order_by(audit.c.timestamp, audit.c.audit_id)).mappings()
    }
    models: ModelRows = {}
    whole = ((key, with_whole_values(conn, row, models)) for key, row in newest.items())
    return {key: (row["raw_hash"], row["response_headers"], row["robots_object"]) for key, row in whole}
