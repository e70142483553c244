"""Read pages, their versions, and what the staging area still has of them."""

import json
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, func, select

from rori_spiders.comparison.staged_text import TextMissing, read_staged_text
from rori_spiders.content.citations import of_page
from rori_spiders.content.documents.pdf.page_marks import find_unread
from rori_spiders.exceptions import DamagedObject
from rori_spiders.ledger.audit import audit_log
from rori_spiders.ledger.operations import alerts
from rori_spiders.ledger.pages import imported_captures, page_history, page_listing
from rori_spiders.ledger.pages.page_history import PageRow
from rori_spiders.ledger.pages.page_history import VersionRow as Held
from rori_spiders.ledger.tables import audit, envelopes, page_aliases, pages
from rori_spiders.ledger.tables import versions as table
from rori_spiders.monitor.pages.schemas import (
    Alias,
    BrowserStep,
    Cited,
    ImportedText,
    PageAddress,
    PageDetail,
    PageFacts,
    Pages,
    PageTry,
    SectionHashOf,
    StoredFileState,
    Version,
    VersionRow,
)
from rori_spiders.monitor.rest.errors import ApiError
from rori_spiders.reviews.events import PAGES_UNREAD
from rori_spiders.staging.store import Store

_MAX_ATTEMPTS = 100
_MAX_IMPORTED = 500


def list_pages(
    conn: Connection, source_id: str, *, states: tuple[str, ...], words: str, offset: int, limit: int
) -> Pages:
    """List the matching pages by URL."""
    counted = page_listing.count_pages_by_state(conn, source_id, words=words)
    total = sum(number for state, number in counted.items() if not states or state in states)
    is_beyond = offset >= total  # a search without matches in 20,000 pages takes as long as counting them
    found = (
        []
        if is_beyond
        else page_listing.list_pages(conn, source_id, states=states, words=words, offset=offset, limit=limit)
    )
    unread = _unread_urls(conn, source_id) if found else frozenset[str]()
    return Pages(items=[PageFacts(**_page_fields(one, unread)) for one in found], total=total, states=counted)


def _page_fields(row: Row[Any], unread: Container[str]) -> dict[str, Any]:
    fields = {**row._asdict(), "versions": row.last_seq, "chars": row.body_chars, "reason": row.reason or None}
    return fields | {"has_unread_pages": row.url in unread}


def _unread_urls(conn: Connection, source_id: str) -> frozenset[str]:
    """The URLs of documents that have pages nobody read, as their alert names them."""
    opened = alerts.open_alerts(conn, source_id)
    return frozenset(url for one in opened if one["event"] == PAGES_UNREAD for url in one["pages"] or ())


def get_page(conn: Connection, page_id: int) -> PageRow:
    """Read a page's URL by its number. Raises ApiError 404."""
    row = conn.execute(select(pages).where(pages.c.page_id == page_id)).one_or_none()
    if row is None:
        raise ApiError(404, "unknown_page", f"Page {page_id} not found.")
    return PageRow(*row)


def page_detail(conn: Connection, page_id: int) -> PageDetail:
    """Return one page under all of its URLs."""
    this = get_page(conn, page_id)
    addresses = page_history.page_addresses(conn, this)
    at = {one.page_id: one for one in addresses}
    (facts,) = page_listing.list_pages(conn, this.source_id, url_hash=this.url_hash, limit=1)
    return PageDetail(
        **_page_fields(facts, _unread_urls(conn, this.source_id)),
        source_id=this.source_id,
        first_seen_at=this.first_seen_at,
        gone_at=this.gone_at,
        addresses=[PageAddress.model_validate(one) for one in addresses],
        aliases=_page_aliases(conn, list(at)),
        history=[version_row(one, at[one.page_id]) for one in page_history.list_versions_with_former(conn, addresses)],
        imported=list_imported_texts(conn, addresses)[:_MAX_IMPORTED],
        tries=_page_attempts(conn, this.source_id, addresses),
    )


def list_imported_texts(conn: Connection, addresses: Iterable[PageRow]) -> list[ImportedText]:
    """The texts of a page that others captured, newest first; of several in a row that are equal the first."""
    texts: list[ImportedText] = []
    found = [one for page in addresses for one in imported_captures.list_texts(conn, page.url, page.source_id)]
    for capture, file in sorted(found, key=lambda one: (str(one[0].captured_at), one[0].record)):
        digest = f"sha256:{capture.content_hash}"
        if not texts or texts[-1].content_hash != digest:
            facts = {name: getattr(capture, name) for name in ("captured_at", "trust", "title", "published", "url")}
            about = {"imported_from": file.name, "imported_at": capture.recorded_at, "imported_by": file.imported_by}
            texts.append(ImportedText.model_validate(facts | about | {"content_hash": digest}))
    return texts[::-1]


def _page_aliases(conn: Connection, page_ids: list[int]) -> list[Alias]:
    query = select(page_aliases).where(page_aliases.c.page_id.in_(page_ids)).order_by(page_aliases.c.seen_at)
    return [Alias.model_validate(one) for one in conn.execute(query)]


def _page_attempts(conn: Connection, source_id: str, addresses: list[PageRow]) -> list[PageTry]:
    hashes = [one.url_hash for one in addresses]
    query = select(audit).where(audit.c.url_hash.in_(hashes), audit.c.manifest_id == source_id, audit.c.kind == "page")
    newest = query.order_by(audit.c.timestamp.desc(), audit.c.audit_id.desc()).limit(_MAX_ATTEMPTS)
    return [
        PageTry.model_validate(
            {
                **one._asdict(),
                "at": one.timestamp,
                "reason": one.reason or None,
                "tier": one.engine,
                "retries": one.retry_count,
                "ms": one.response_time_ms,
                "credits": one.credits_consumed,
                "steps": steps_of(one.attempts),
                "has_response": one.raw_hash is not None,
            }
        )
        for one in conn.execute(newest)
    ]


# Versions of a page, and which of their files are stored.

#: Most citations listed; the envelope has all.
_MAX_CITATIONS = 500


@dataclass(frozen=True)
class FoundVersion:
    """A version with the page's URLs (the current one first) and all versions under them, newest first."""

    version: Held
    addresses: list[PageRow]
    versions: list[Held]
    envelope: Row[Any] | None

    @property
    def page(self) -> PageRow:
        return next(one for one in self.addresses if one.page_id == self.version.page_id)


def version_row(version: Held, page: PageRow) -> VersionRow:
    """Return a version as a row of the page's history."""
    return VersionRow(**_version_fields(version, page))


def _version_fields(version: Held, page: PageRow) -> dict[str, Any]:
    names = ("captured_at", "change_type", "title", "published", "effective", "publisher_version", "tier")
    return {
        **{name: getattr(version, name) for name in (*names, "converter_version", "run_id", "page_id")},
        "version_id": version.version_id,
        "url": page.url,
        "version": version.seq,
        "content_hash": f"sha256:{version.content_hash}",
    }


def find_version(conn: Connection, page: PageRow, seq: int) -> FoundVersion:
    """Read the version with this number at this URL. Raises ApiError 404."""
    own = next((one for one in page_history.list_versions(conn, page.page_id) if one.seq == seq), None)
    if own is None:
        raise ApiError(404, "unknown_version", f"Page {page.page_id} has no version {seq}.")
    addresses = page_history.page_addresses(conn, page)
    all_versions = page_history.list_versions_with_former(conn, addresses)
    same = (envelopes.c.run_id == own.run_id) & (envelopes.c.url_hash == page.url_hash)
    return FoundVersion(own, addresses, all_versions, conn.execute(select(envelopes).where(same)).one_or_none())


def version_detail(conn: Connection, store: Store, found: FoundVersion) -> Version:
    """Return the version with the state of its files."""
    one, page = found.version, found.page
    came = audit_log.response_of_version(conn, one.run_id, page.url_hash)
    text, state = read_text(store, one)
    cited = list(_count_citations(text, (came and came.final_url) or page.url, one.title)) if text else []
    after, before = _adjacent_versions(found)
    return Version(
        **_version_fields(one, page),
        source_id=page.source_id,
        is_newest=found.versions[0] == one,
        version_before=before and before.version_id,
        version_after=after and after.version_id,
        replaced_at=after and after.captured_at,
        last_confirmed_at=_last_confirmed_at(conn, one, page),
        html_hash=one.html_hash and f"sha256:{one.html_hash}",
        final_url=came and came.final_url,
        audit_id=came and came.audit_id,
        sections=[SectionHashOf(path=path, hash=f"sha256:{digest}") for path, digest in one.section_hashes],
        citations=cited[:_MAX_CITATIONS],
        citations_in_all=len(cited),
        unread_pages=list(find_unread(text or "")),
        chars=None if text is None else len(text),
        text=state,
        raw=raw_state(store, one, came.content_type if came else None),
        envelope=envelope_state(store, found.envelope),
        screenshot=screenshot_state(store, one),
        screenshot_hash=one.screenshot_object and f"sha256:{one.screenshot_object}",
        steps=[] if came is None else steps_of(came.attempts),
    )


def _adjacent_versions(found: FoundVersion) -> tuple[Held | None, Held | None]:
    """Return the versions after and before this one; none for a version outside the page's own sequence."""
    if found.version not in found.versions:
        return None, None
    at = found.versions.index(found.version)
    after = found.versions[at - 1] if at else None
    return after, found.versions[at + 1] if at + 1 < len(found.versions) else None


def read_text(store: Store, one: Held) -> tuple[str | None, StoredFileState]:
    """Return the version's markdown and its state; None where it is not stored."""
    if one.is_removal:
        return None, StoredFileState(state="none", why="This version records the removal of the page; it has no text.")
    try:
        text = read_staged_text(store, one)
    except (TextMissing, DamagedObject) as error:
        return None, StoredFileState(state="missing", why=str(error))
    return text, StoredFileState(
        state="stored", bytes=len(text.encode("utf-8", "replace")), content_type="text/markdown"
    )


def raw_state(store: Store, one: Held, content_type: str | None) -> StoredFileState:
    """Return whether the received bytes are stored."""
    if one.is_removal:
        return StoredFileState(
            state="none", why="This version records the removal of the page; no bytes were received."
        )
    if store.has_object(one.raw_object):
        return StoredFileState(state="stored", content_type=content_type)
    return StoredFileState(
        state="missing", content_type=content_type, why=f"Object {one.raw_object} is missing from {store.location}."
    )


def screenshot_state(store: Store, one: Held) -> StoredFileState:
    """Return whether the picture of the page is stored."""
    digest = one.screenshot_object
    if digest is None:
        return StoredFileState(state="none", why="No picture of the page was asked for, or none could be taken.")
    if store.has_object(digest):
        return StoredFileState(state="stored", content_type="image/jpeg")
    return StoredFileState(state="missing", why=f"Object {digest} is missing from {store.location}.")


def steps_of(attempts: Sequence[Mapping[str, Any]] | None) -> list[BrowserStep]:
    """Return what the browser did in the last of *attempts*, as the audit has them."""
    return [BrowserStep.model_validate(one) for one in (attempts or [{}])[-1].get("steps", ())]


def envelope_state(store: Store, envelope: Row[Any] | None) -> StoredFileState:
    """Return whether the version's envelope is stored."""
    if envelope is None:
        return StoredFileState(state="none", why="This version has no envelope.")
    if envelope.state in {"pruning", "pruned"}:
        at = f" at {envelope.pruned_at:%Y-%m-%d %H:%M} UTC" if envelope.pruned_at else ""
        return StoredFileState(
            state="pruned", path=envelope.path, why=f"It was confirmed, and removed{at} when its time was over."
        )
    if store.exists(envelope.path):
        return StoredFileState(state="stored", path=envelope.path, content_type="application/json")
    return StoredFileState(state="missing", path=envelope.path, why=f"The file is missing from {store.location}.")


def _last_confirmed_at(conn: Connection, one: Held, page: PageRow) -> datetime | None:
    """Return when a response last had this text."""
    later = select(table.c.captured_at).where(table.c.page_id == one.page_id, table.c.seq == one.seq + 1)
    until = conn.execute(later).scalar()
    query = select(func.max(audit.c.timestamp)).where(
        audit.c.url_hash == page.url_hash,
        audit.c.manifest_id == page.source_id,
        audit.c.content_hash == one.content_hash,
        audit.c.timestamp >= one.captured_at,
    )
    found: datetime | None = conn.execute(query if until is None else query.where(audit.c.timestamp < until)).scalar()
    return found


def _count_citations(text: str, url: str, title: str | None) -> Iterable[Cited]:
    """Count the distinct citations in the text."""
    first: dict[str, tuple[str, str, str | None]] = {}
    times: dict[str, int] = {}
    for one in of_page(text, url=url, title=title):
        first.setdefault(one.canonical, (text[one.start : one.end], one.kind, one.target))
        times[one.canonical] = times.get(one.canonical, 0) + 1
    for canonical, (citation, kind, target) in first.items():
        yield Cited(text=citation, kind=kind, canonical=canonical, target=target, times=times[canonical])


def ledger_facts(found: FoundVersion) -> dict[str, Any]:
    """Return what the ledger has of a version whose files are not available."""
    version, envelope = version_row(found.version, found.page), found.envelope
    facts: dict[str, Any] = {"version": json.loads(version.model_dump_json())}
    if envelope is not None:
        facts["envelope"] = {
            "path": envelope.path,
            "state": envelope.state,
            "file_hash": f"sha256:{envelope.file_hash}",
        }
        facts["envelope"] |= {"pruned_at": envelope.pruned_at and envelope.pruned_at.isoformat().replace("+00:00", "Z")}
    return facts


def versions_to_compare(
    conn: Connection, page: PageRow, older: tuple[int, int] | None, newer: tuple[int, int] | None
) -> tuple[Held, Held, list[PageRow]]:
    """Return the versions to compare (default: the newest and the one before it), and the page's URLs."""
    addresses = page_history.page_addresses(conn, page)
    held = page_history.list_versions_with_former(conn, addresses)
    by_id = {(one.page_id, one.seq): one for one in held}
    if not held:
        raise ApiError(404, "unknown_version", "This page was never captured, so it has no versions.")
    for one in (older, newer):
        if one is not None and one not in by_id:
            raise ApiError(404, "unknown_version", f"This page has no version {one[0]}-{one[1]}.")
    new = held[0] if newer is None else by_id[newer]
    if older is not None:
        return by_id[older], new, addresses
    at = held.index(new) + 1
    if at == len(held):
        raise ApiError(404, "unknown_version", "This is the first version; there is no earlier one to compare with.")
    return held[at], new, addresses


def find_version_id(conn: Connection, page: PageRow, held: dict[str, Any]) -> str | None:
    """The id of the version that an answer about an instant names, under any of the page's URLs."""
    seq, digest = held.get("version"), str(held.get("content_hash")).removeprefix("sha256:")
    every = page_history.list_versions_with_former(conn, page_history.page_addresses(conn, page))
    return next((one.version_id for one in every if one.seq == seq and one.content_hash == digest), None)
