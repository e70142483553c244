"""A held page: read again from the stored bytes, compared with the current text, with the envelope of the run that
fetched it.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import uuid4

from sqlalchemy import Connection

from rori_spiders.content.convert import Converted, digest
from rori_spiders.content.sections import content_hash
from rori_spiders.crawl.conversion_options import conversion_options
from rori_spiders.crawl.envelope import Origin, build_deletion_envelope, build_envelope
from rori_spiders.crawl.tiers.order import restore_page
from rori_spiders.crawl.walkers import echoed_secrets
from rori_spiders.envelope import Envelope
from rori_spiders.exceptions import ConversionError, RoriError
from rori_spiders.items import Change, Fetched, FrontierUrl, PageItem
from rori_spiders.ledger.audit.audit_log import ResponseRecord
from rori_spiders.ledger.pages import page_history
from rori_spiders.ledger.pages.held_pages import HeldPage
from rori_spiders.ledger.pages.page_history import PageRow, VersionRow
from rori_spiders.ledger.runs import frontier
from rori_spiders.ledger.runs.run_records import RunRow
from rori_spiders.manifest.catalog import Catalog
from rori_spiders.manifest.models import Source
from rori_spiders.politeness import robots_policy
from rori_spiders.reasons import Reason, ReasonCode
from rori_spiders.runtime.control_characters import replace_surrogates
from rori_spiders.runtime.redaction import Redactor
from rori_spiders.staging.store import Store
from rori_spiders.urls.canonical import origin_of
from rori_spiders.workers.conversion import conversion_weight
from rori_spiders.workers.pool import WorkPool


class NotAcceptable(RoriError):
    """Raised for a held page that cannot be accepted, in a sentence without its URL. Nothing of it was written."""


# The page again, from what was kept of it: facts from the audit, bytes from the store, converted as in a run.


class HeldPageReader:
    """Reads kept bytes of one store; conversions run where those of a crawl do. Close it when done."""

    def __init__(self, store: Store, redactor: Redactor, pool: WorkPool) -> None:
        self._store, self._redactor, self._pool = store, redactor, pool
        self._runner = asyncio.Runner()

    def facts(self, held: HeldPage) -> Fetched:
        """What the server answered in the run. Raises Declined where that was not kept whole."""
        row, details = held.audited, held.details
        if details is None or not (row["raw_hash"] or held.is_removal):  # a 404 may have no body
            raise NotAcceptable("an older release held it without storing its bytes; the next run will hold it again")
        headers: dict[str, list[str]] = row["response_headers"] or {}
        received = self._object(row["raw_hash"]) if row["raw_hash"] else b""
        url = row["final_url"] or held.url
        body = received if held.is_removal else self._body(row["engine"], received, headers, url)
        return Fetched(
            url=held.url,
            final_url=url,
            status=row["http_status"],
            headers=headers,
            body=body,
            at=datetime.fromisoformat(details["at"]),
            tier=row["engine"],
            engine_version=details["engine_version"],
            response_time_ms=row["response_time_ms"] or 0,
            retry_count=row["retry_count"],
            credits=details["credits"],
            redirects=tuple((status, redirected) for status, redirected in row["redirects"] or ()),
            ip_address=row["ip_address"],
            request_headers=row["request_headers"] or {},
            raw=None if body == received else received,
            screenshot=self._object(picture) if (picture := details.get("screenshot")) else None,
            api_metadata=held.api_metadata,
        )

    def _body(self, tier: str, received: bytes, headers: dict[str, list[str]], url: str) -> bytes:
        try:
            return restore_page(tier, received, _first_header(headers, "content-type"), url)[0]
        except ValueError as error:
            raise NotAcceptable(f"the stored bytes cannot be read: {error}") from error

    def page(self, facts: Fetched, source: Source) -> Converted:
        """The page, converted as a run would. Raises Declined."""
        try:
            page = self._convert(facts.tier, facts.received, facts.header("Content-Type"), facts.final_url, source)
        except (ConversionError, ValueError) as error:
            raise NotAcceptable(f"it cannot be converted: {error}") from error
        if echoed_secrets.repeats_secret(page, self._redactor):
            raise NotAcceptable(Reason(ReasonCode.SECRET_ECHOED))
        if not page.markdown.strip():
            raise NotAcceptable("no text is left after conversion")
        return page

    def again(self, text: VersionRow, came: ResponseRecord | None, facts: Fetched, source: Source) -> Converted | None:
        """What was held before and *came* so, converted as today; None where that is not possible any more."""
        content_type, url = (came.content_type, came.final_url) if came else (None, None)
        try:
            raw = self._store.get_object(text.raw_object)
            return self._convert(text.tier, raw, content_type, url or facts.final_url, source)
        except (ConversionError, ValueError, FileNotFoundError):
            return None

    def _convert(self, tier: str, received: bytes, content_type: str | None, url: str, source: Source) -> Converted:
        body, kind = restore_page(tier, received, content_type, url)
        options = conversion_options(source)
        return self._runner.run(
            self._pool.run(conversion_weight(body), digest, body, url=url, content_type=kind, options=options)
        )

    def _object(self, name: str) -> bytes:
        try:
            return self._store.get_object(name)
        except FileNotFoundError:
            raise NotAcceptable(f"its bytes are no longer in the staging area ({name})") from None

    def close(self) -> None:
        self._pool.close()
        self._runner.close()


def _first_header(headers: dict[str, Any], name: str) -> str | None:
    return next((values[0] for key, values in headers.items() if key.lower() == name and values), None)


# Whether a page that was held may still be accepted, and what it, or its removal, is to the text held now.


@dataclass(frozen=True, slots=True)
class CurrentPage:
    """The ledger's current data about a page."""

    page: PageRow
    text: VersionRow


def load_current_page(conn: Connection, source_id: str, url: str, at: datetime) -> CurrentPage:
    """What is held of the page that was held back at *at*. Raises Declined when something newer is known of it."""
    page = page_history.find_page(conn, source_id, url)
    newest = page_history.newest_version(conn, page.page_id) if page is not None else None
    text = page_history.newest_text(conn, page.page_id) if page is not None else None
    if page is None or newest is None or text is None:
        raise NotAcceptable("its text was removed, so there is nothing to replace")
    if newest.captured_at > at:
        what = "it was recorded as gone" if newest.change_type == "deleted" else "a newer version of it was captured"
        raise NotAcceptable(f"{what} on {_format_day(newest.captured_at)}")
    if page.last_seen_at is not None and page.last_seen_at > at:
        raise NotAcceptable(
            f"it was fetched again on {_format_day(page.last_seen_at)} with the text of the last version"
        )
    if page.missing_since is not None and page.missing_since > at:
        raise NotAcceptable(f"it was missing on {_format_day(page.missing_since)}")
    return CurrentPage(page, text)


def removal_change(now: CurrentPage) -> Change:
    """That the page is gone. Raises Declined where that is known already, or it is not missing any more."""
    if now.page.gone_at is not None:
        raise NotAcceptable(f"it was recorded as gone on {_format_day(now.page.gone_at)}")
    if now.page.missing_since is None:
        raise NotAcceptable("it is no longer missing")
    return Change("deleted", content_hash(""), now.text.content_hash, now.page.title)


def compare_with_current(converted: Converted, now: CurrentPage, again: Callable[[], Converted | None]) -> Change:
    """modified, or unchanged: hashes of the markdown, never across converters. *again* is the held text of today."""
    digest, held = content_hash(replace_surrogates(converted.markdown)), now.text.content_hash
    same = digest == held
    if not same and now.text.converter_version != converted.converter_version and (today := again()) is not None:
        same = digest == content_hash(replace_surrogates(today.markdown))
    return Change("unchanged", held, held) if same else Change("modified", digest, held)


def _format_day(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M} UTC"


# Where an accepted page is from: its visit and its envelope, with the facts of the run that fetched it.


def load_frontier_url(conn: Connection, run: RunRow, url: str) -> FrontierUrl:
    """How the run came to the page. Raises Declined when it did not."""
    row = frontier.find_url(conn, run.run_id, url)
    if row is None:
        raise NotAcceptable("the run did not discover it")
    return FrontierUrl(run.run_id, run.source_id, row.url, row.kind, row.depth, row.found_on, row.found_by)


def build_accepted_envelope(
    item: PageItem, store: Store, catalog: Catalog, run: RunRow, held: HeldPage, environment: str
) -> Envelope:
    """The envelope that the run would have staged, but that a person stages it: ``operator`` is ``manual``.

    What it says of the source is of the active manifest, which says how the page was converted, and is named.
    """
    assert item.change is not None and item.fetched is not None
    source = catalog.source(run.source_id)
    origin: Origin = {
        "visit": item.visit,
        "source": source,
        "manifest_version": catalog.loaded_of(source.id).manifest.version,
        "fetched": item.fetched,
        "raw_object": item.fetched.raw_hash,
        "content_signal": _content_signal(store, held),
        "run_id": run.run_id,
        "parent_crawl_id": None if source.method == "scrape" else run.run_id,
        "job_id": run.job_id,
        "operator": "manual",
        "environment": environment,
        "envelope_id": str(uuid4()),
    }
    change = item.change
    if change.change_type == "deleted":
        return build_deletion_envelope(
            previous_content_hash=change.previous_content_hash, title=change.previous_title, **origin
        )
    assert item.converted is not None
    return build_envelope(converted=item.converted, change=change, **origin)


def _content_signal(store: Store, held: HeldPage) -> str | None:
    """That of the robots.txt which allowed the page."""
    stored = held.audited["robots_object"]
    if stored is None:
        return None
    try:
        body = store.get_object(stored)
    except FileNotFoundError:
        raise NotAcceptable(f"the robots.txt that allowed it is no longer in the staging area ({stored})") from None
    return robots_policy.read_robots_txt(
        origin_of(held.url), status=200, body=body, at=held.audited["timestamp"]
    ).content_signal
