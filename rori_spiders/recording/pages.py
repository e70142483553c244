"""What is known of a page once a run has looked at it: its row, its links, aliases and validators, its new version."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

from rori_spiders.content import CONVERTER_VERSION
from rori_spiders.envelope import clean, dates_of
from rori_spiders.ledger import audit, history
from rori_spiders.ledger.history import NewVersion
from rori_spiders.redaction import MASK

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import Connection

    from rori_spiders.items import Fetched, PageItem
    from rori_spiders.redaction import Redactor


def note(conn: Connection, item: PageItem, redact: Redactor, now: datetime) -> int | None:
    """What is known of the page from now on: seen, missing, its links, its validators, its aliases.

    Gives its number, when it is a page that we hold.
    """
    if item.alias_of is not None:
        if redact.url(item.alias_of) == item.alias_of:  # an address that holds a secret is nobody's page
            # The page may come later in this run: it is known by its aliases all the same.
            target = history.ensure_page(conn, item.visit.source_id, item.alias_of, now=now)
            kind = "redirect" if item.fetched is None else "canonical"  # the same page, read at another address
            history.add_alias(conn, target.page_id, item.visit.url, kind=kind, now=now)
        return None
    if item.visit.kind != "page" or item.fetched is None or item.state == "excluded":
        return None
    if item.state == "failed":
        _missing(conn, item, now)
        return None
    page = history.ensure_page(conn, item.visit.source_id, item.visit.url, now=now)
    if item.state == "gone":
        return page.page_id  # its last links and validators stay as they were
    if item.state == "unchanged":
        history.confirm_seen(conn, page.page_id, now=now)
    if item.fetched.status != 304 and not item.confirmed:
        history.set_links(conn, page.page_id, item.links)
        _validators(conn, page.page_id, item.fetched, now)
    for _, url in item.fetched.redirects:
        if url != item.visit.url:
            history.add_alias(conn, page.page_id, redact.url(url), kind="redirect", now=now)
    return page.page_id


def _missing(conn: Connection, item: PageItem, now: datetime) -> None:
    page = history.page(conn, item.visit.source_id, item.visit.url)
    if page is not None and item.verdict is not None and item.verdict.kind == "not_found":
        history.mark_missing(conn, page.page_id, now=now)
        if item.moved_to is not None:
            target = history.ensure_page(conn, item.visit.source_id, item.moved_to, now=now)
            history.add_alias(conn, target.page_id, item.visit.url, kind="moved", now=now)


def _validators(conn: Connection, page_id: int, fetched: Fetched, now: datetime) -> None:
    said = fetched.said  # a wiki's API sends no validators: the revision, and when it was read, serve as such
    is_wiki = said.revision_id is not None
    history.set_validators(
        conn,
        page_id,
        fetched.tier,
        etag=str(said.revision_id) if is_wiki else _sent_back(fetched.header("ETag")),
        last_modified=said.as_of if is_wiki else _sent_back(fetched.header("Last-Modified")),
        raw_hash=fetched.raw_hash,
        now=now,
    )


def add_version(conn: Connection, item: PageItem, page_id: int | None, now: datetime) -> None:
    """Keep the version that the item brings; the envelope of it is staged."""
    assert item.change is not None and item.fetched is not None
    assert page_id is not None
    made = item.converted
    html = made.html if made is not None else None
    version = NewVersion(
        run_id=item.visit.run_id,
        captured_at=item.fetched.at,
        change_type=item.change.change_type,
        content_hash=item.change.content_hash,
        html_hash=None if html is None else sha256(clean(html).encode()).hexdigest(),
        raw_object=item.fetched.raw_hash,
        body_object=item.change.content_hash,
        section_hashes=made.section_hashes if made is not None else [],
        converter_version=CONVERTER_VERSION,
        tier=item.fetched.tier,
        title=made.title if made is not None else item.change.previous_title,
        published=dates_of(made, item.fetched)["published_date"] if made is not None else None,
        effective=item.fetched.said.effective,
        publisher_version=item.fetched.said.publisher_version,
    )
    history.add_version(conn, page_id, version, body_chars=len(clean(made.markdown)) if made is not None else 0)


def failed_before(conn: Connection, item: PageItem) -> bool:
    """Whether the URL's last end, in an earlier run, was a failure."""
    if item.visit.kind != "page":
        return False
    last = next(audit.query(conn, source_id=item.visit.source_id, url=item.visit.url, limit=1), None)
    return last is not None and last["state"] == "failed"


def _sent_back(validator: str | None) -> str | None:
    """A validator as it is asked with next time; one in which a secret was masked says nothing any more."""
    return None if validator is None or MASK in validator else validator
