"""What is known of a page once a run has looked at it: its row, its links, aliases and validators, its new version."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

from rori_spiders.content import CONVERTER_VERSION
from rori_spiders.envelope import clean, dates_of
from rori_spiders.ledger import history
from rori_spiders.ledger.history import NewVersion, Validators
from rori_spiders.redaction import MASK

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from sqlalchemy import Connection

    from rori_spiders.items import Fetched, PageItem
    from rori_spiders.redaction import Redactor


def note(conn: Connection, item: PageItem, redact: Redactor, now: datetime) -> int | None:
    """As ``note_all``, for one page; gives its number, when it is a page that we hold."""
    return note_all(conn, [(item, now)], redact).get(item.visit.url)


def note_all(conn: Connection, ended: Iterable[tuple[PageItem, datetime]], redact: Redactor) -> dict[str, int]:
    """What is known from now on of pages of one source: seen, missing, their links, validators and aliases.

    *ended* has when each was recorded. Gives the numbers of those that we hold, by URL.
    """
    looked: list[tuple[PageItem, Fetched, datetime]] = []
    for item, now in ended:
        if item.alias_of is not None:
            _alias(conn, item, item.alias_of, redact, now)
        elif item.visit.kind != "page" or item.fetched is None or item.state == "excluded":
            continue
        elif item.state == "failed":
            _missing(conn, item, now)
        else:
            looked.append((item, item.fetched, now))
    if not looked:
        return {}
    source_id = looked[0][0].visit.source_id
    pages = history.ensure_pages(conn, source_id, {item.visit.url: now for item, _, now in looked})
    of = {url: page.page_id for url, page in pages.items()}
    history.confirm_seen(conn, {of[item.visit.url]: now for item, _, now in looked if item.state == "unchanged"})
    # Of what is gone, and of what a 304 confirms, the last links and validators stay as they were.
    read = [(of[item.visit.url], item, facts, now) for item, facts, now in looked if _was_read(item, facts)]
    history.set_links(conn, {page_id: item.links for page_id, item, _, _ in read})
    history.set_validators(conn, {(page_id, facts.tier): _validators(facts, now) for page_id, _, facts, now in read})
    for item, facts, now in looked:
        for _, url in facts.redirects if item.state != "gone" else ():
            if url != item.visit.url:
                history.add_alias(conn, of[item.visit.url], redact.url(url), kind="redirect", now=now)
    return of


def _alias(conn: Connection, item: PageItem, target: str, redact: Redactor, now: datetime) -> None:
    if redact.url(target) != target:
        return  # an address that holds a secret is nobody's page
    # The page may come later in this run: it is known by its aliases all the same.
    page = history.ensure_page(conn, item.visit.source_id, target, now=now)
    kind = "redirect" if item.fetched is None else "canonical"  # the same page, read at another address
    history.add_alias(conn, page.page_id, item.visit.url, kind=kind, now=now)


def _was_read(item: PageItem, facts: Fetched) -> bool:
    return item.state != "gone" and facts.status != 304 and not item.confirmed


def _missing(conn: Connection, item: PageItem, now: datetime) -> None:
    page = history.page(conn, item.visit.source_id, item.visit.url)
    if page is not None and item.verdict is not None and item.verdict.kind == "not_found":
        history.mark_missing(conn, page.page_id, now=now)
        if item.moved_to is not None:
            target = history.ensure_page(conn, item.visit.source_id, item.moved_to, now=now)
            history.add_alias(conn, target.page_id, item.visit.url, kind="moved", now=now)


def _validators(fetched: Fetched, now: datetime) -> Validators:
    said = fetched.said  # a wiki's API sends no validators: the revision, and when it was read, serve as such
    is_wiki = said.revision_id is not None
    return Validators(
        etag=str(said.revision_id) if is_wiki else _sent_back(fetched.header("ETag")),
        last_modified=said.as_of if is_wiki else _sent_back(fetched.header("Last-Modified")),
        raw_hash=fetched.raw_hash,
        seen_at=now,
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


def _sent_back(validator: str | None) -> str | None:
    """A validator as it is asked with next time; one in which a secret was masked says nothing any more."""
    return None if validator is None or MASK in validator else validator
