"""What is written to the ledger when a URL ends: its page, links, aliases and versions; its state in the frontier,
its review and its remembered tier; its audit row.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from hashlib import sha256

from sqlalchemy import Connection

from rori_spiders import BUILD, reviews
from rori_spiders.content import converter_version
from rori_spiders.crawl.envelope import page_dates
from rori_spiders.crawl.runs.run import Run
from rori_spiders.crawl.tiers import order
from rori_spiders.crawl.tiers.order import HTTP
from rori_spiders.items import Fetched, PageItem
from rori_spiders.ledger.audit.audit_log import AuditRow
from rori_spiders.ledger.operations import alerts
from rori_spiders.ledger.pages import page_history
from rori_spiders.ledger.pages.page_history import NewVersion, Validators
from rori_spiders.ledger.runs import frontier, tier_memory
from rori_spiders.ledger.runs.frontier import FinalState
from rori_spiders.ledger.runs.run_records import RobotsFileRecord
from rori_spiders.politeness.robots_policy import RobotsFile
from rori_spiders.reasons import ReasonCode
from rori_spiders.reviews.events import MISSING_VERDICTS
from rori_spiders.runtime.control_characters import replace_surrogates
from rori_spiders.runtime.redaction import MASK, Redactor
from rori_spiders.urls.canonical import normalise_url


def record_pages(conn: Connection, ended: Iterable[tuple[PageItem, datetime]], redact: Redactor) -> dict[str, int]:
    """What is known from now on of pages of one source: seen, missing, their links, validators and aliases.

    *ended* has when each was recorded. Gives the numbers of those that we hold, by URL.
    """
    looked: list[tuple[PageItem, Fetched, datetime]] = []
    for item, now in ended:
        if item.alias_of is not None:
            _record_alias(conn, item, item.alias_of, redact, now)
        if item.visit.kind != "page" or item.fetched is None or item.state == "excluded":
            continue
        if item.state == "failed":
            _record_missing(conn, item, now)
        else:
            looked.append((item, item.fetched, now))
    if not looked:
        return {}
    source_id = looked[0][0].visit.source_id
    pages = page_history.ensure_pages(conn, source_id, {item.visit.url: now for item, _, now in looked})
    of = {url: page.page_id for url, page in pages.items()}
    page_history.confirm_seen(conn, {of[item.visit.url]: now for item, _, now in looked if item.state == "unchanged"})
    # Of what is gone, and of what a 304 confirms, the last links and validators stay as they were.
    read = [(of[item.visit.url], item, facts, now) for item, facts, now in looked if _was_read(item, facts)]
    # Those of a staged page were kept with its reservation.
    page_history.set_links(conn, {page_id: item.links for page_id, item, _, _ in read if item.envelope_id is None})
    known = {page.page_id: page.next_url for page in pages.values()}
    page_history.set_next_urls(
        conn, {page_id: item.next_url for page_id, item, _, _ in read if item.next_url != known[page_id]}
    )
    page_history.set_validators(
        conn, {(page_id, facts.tier): _build_validators(facts, now) for page_id, _, facts, now in read}
    )
    for item, facts, now in looked:
        for _, url in facts.redirects if item.state != "gone" else ():
            if url != item.visit.url:
                page_history.add_alias(conn, of[item.visit.url], redact.url(url), kind="redirect", now=now)
    return of


def _record_alias(conn: Connection, item: PageItem, target: str, redact: Redactor, now: datetime) -> None:
    if redact.url(target) != target:
        return  # an address that holds a secret is nobody's page
    # The page may come later in this run: it is known by its aliases all the same.
    page = page_history.ensure_page(conn, item.visit.source_id, target, now=now)
    # Read at another address it is the same page; of one that we hold, the redirect itself was kept.
    kind = "redirect" if item.fetched is None or item.fetched is item.led_away_by else "canonical"
    page_history.add_alias(conn, page.page_id, item.visit.url, kind=kind, now=now)


def _was_read(item: PageItem, facts: Fetched) -> bool:
    return item.state != "gone" and facts.status != 304 and not item.confirmed


def _record_missing(conn: Connection, item: PageItem, now: datetime) -> None:
    page = page_history.find_page(conn, item.visit.source_id, item.visit.url)
    if page is not None and item.verdict is not None and item.verdict.kind in MISSING_VERDICTS:
        page_history.mark_missing(conn, page.page_id, now=now)
        if item.moved_to is not None:
            target = page_history.ensure_page(conn, item.visit.source_id, item.moved_to, now=now)
            page_history.add_alias(conn, target.page_id, item.visit.url, kind="moved", now=now)


def _build_validators(fetched: Fetched, now: datetime) -> Validators:
    metadata = fetched.api_metadata  # an API sends no validators: a revision, and when it was read, serve as such
    is_wiki = metadata.revision_id is not None
    state = str(metadata.revision_id) if is_wiki else metadata.state_id
    return Validators(
        etag=state or _usable_validator(fetched.header("ETag")),
        last_modified=metadata.as_of if is_wiki else _usable_validator(fetched.header("Last-Modified")),
        raw_hash=fetched.raw_hash,
        seen_at=now,
    )


def add_versions(conn: Connection, items: Sequence[PageItem], page_ids: Mapping[str, int]) -> None:
    """Keep the versions that the items bring, whose envelopes are staged; *page_ids* has their pages, by URL."""
    page_history.add_versions(conn, {page_ids[item.visit.url]: _build_version(item) for item in items})


def _build_version(item: PageItem) -> tuple[NewVersion, int]:
    """The version of an item, and the characters of its text."""
    assert item.change is not None and item.fetched is not None
    made = item.converted
    html = made.html if made is not None else None
    version = NewVersion(
        run_id=item.visit.run_id,
        captured_at=item.fetched.at,
        change_type=item.change.change_type,
        content_hash=item.change.content_hash,
        html_hash=None if html is None else sha256(replace_surrogates(html).encode()).hexdigest(),
        raw_object=item.fetched.raw_hash,
        screenshot_object=item.fetched.screenshot_hash,
        body_object=item.change.content_hash,
        section_hashes=made.section_hashes if made is not None else [],
        converter_version=made.converter_version if made is not None else converter_version(),
        tier=item.fetched.tier,
        title=made.title if made is not None else item.change.previous_title,
        published=page_dates(made, item.fetched)["published_date"] if made is not None else None,
        effective=item.fetched.api_metadata.effective,
        publisher_version=item.fetched.api_metadata.publisher_version,
    )
    return version, len(replace_surrogates(made.markdown)) if made is not None else 0


def _usable_validator(validator: str | None) -> str | None:
    """A validator as it is asked with next time; one in which a secret was masked says nothing any more."""
    return None if validator is None or MASK in validator else validator


# What the end of a URL means beyond its page: its state in the frontier, its review, the tier that worked.


def settle_urls(conn: Connection, run: Run, ended: Sequence[tuple[PageItem, datetime]], redact: Redactor) -> None:
    """The final states of the items' URLs and of those that they exclude; and what they discovered, pending.

    *ended* has when each was recorded.
    """
    frontier.add_urls(conn, run.run_id, (visit for item, _ in ended for visit in item.discovered))
    excluded = [
        (visit, FinalState(visit.url, "excluded", why.masked(redact.url), at=now))
        for item, now in ended
        for visit, why in item.excluded
    ]
    frontier.add_settled_urls(conn, run.run_id, excluded)
    frontier.add_settled_urls(conn, run.run_id, ((item.visit, _final_state(item, redact, now)) for item, now in ended))


def _final_state(item: PageItem, redact: Redactor, now: datetime) -> FinalState:
    tier = item.fetched.tier if item.fetched else (item.attempts[-1].tier if item.attempts else None)
    verdict = item.verdict.kind if item.verdict else None
    # Reasons name URLs of the run, by which they are found again: as URLs they are redacted.
    reason = item.reason.masked(redact.url)
    return FinalState(item.visit.url, item.state, reason, tier, verdict, len(item.attempts), at=now)


def update_reviews(conn: Connection, run: Run, ended: Iterable[tuple[PageItem, datetime]], redact: Redactor) -> None:
    """What a person must look at because of them, or need not any more."""
    start = normalise_url(run.source.url)
    is_open = bool(alerts.open_alerts(conn, run.source_id))
    for item, now in ended:
        is_start = item.visit.found_by == "start" or item.visit.url == start
        was_redirected = is_start and item.fetched is not None and bool(item.fetched.redirects)
        # Other good pages only clear what is open.
        has_unread = item.converted is not None and bool(item.converted.hints.unread_pages)
        if is_open or was_redirected or has_unread or item.state not in {"captured", "unchanged"}:
            reviews.note_page(conn, item, is_start=is_start, reason=item.reason.masked(redact.text), now=now)
            is_open = True


def remember_tier(conn: Connection, run: Run, item: PageItem, now: datetime) -> None:
    """What its end says of the tier that pages of its kind begin with; not there is no fault of a tier."""
    url, known = item.visit.url, run.tiers.remembered
    is_missing = item.verdict is not None and item.verdict.kind in MISSING_VERDICTS
    if item.state in {"captured", "unchanged"} and item.remember is not None:
        _store_tier(conn, run, order.url_template(url), item.remember, now)
        # The pages of a wiki are of one make, and each title is a kind of its own: one that was walled is enough.
        is_walled = run.source.method == "mediawiki" and item.remember != HTTP
        agreed = order.agreed_host_tier(url, known, 1 if is_walled else order.KINDS_OF_A_HOST)
        host = order.host_key(url)
        is_plain = (
            host in run.tiers.first_tier_hosts and agreed != HTTP
        )  # many of its pages need no more than the first
        _store_tier(conn, run, host, None if is_plain else agreed, now)
    elif item.state == "failed" and not is_missing:
        for kind in (order.url_template(url), order.host_key(url)):
            if known.get(kind) in {attempt.tier for attempt in item.attempts}:
                _store_tier(conn, run, kind, None, now)


def _store_tier(conn: Connection, run: Run, kind: str, tier: str | None, now: datetime) -> None:
    if tier is not None:
        tier_memory.remember_tier(conn, run.source_id, kind, tier, now=now)
        run.tiers.remember(kind, tier)
    elif run.tiers.forget(kind):
        tier_memory.forget_tier(conn, run.source_id, kind)


# The audit rows of a run: of its pages, sitemaps and API answers, and of the robots.txt that allowed them.

#: Of an answer that is not content, so much is kept for diagnosis (specification §7.2): walls have some KiB.
MAX_REJECTED_BODY_BYTES = 2**20


def evidence_bytes(item: PageItem, fetched: Fetched) -> bytes:
    """The bytes to keep of an answer: all of what may be content, the beginning of what was judged to be none."""
    is_refused = item.state == "failed" and item.verdict is not None and item.verdict.kind != "content"
    return fetched.received[:MAX_REJECTED_BODY_BYTES] if is_refused else fetched.received


def _truncation_note(item: PageItem) -> str:
    fetched = item.fetched
    if fetched is None or len(evidence_bytes(item, fetched)) == len(fetched.received):
        return ""
    return f" Stored: the first {MAX_REJECTED_BODY_BYTES} of {len(fetched.received)} bytes."


def page_audit_row(
    item: PageItem, redact: Redactor, *, now: datetime, raw_hash: str | None, robots_object: str | None
) -> AuditRow:
    """The audit row of a URL at its end: what was asked, what came, what was made of it. No secret is in it.

    Of an unchanged page that its first try brought, from its own address and without a step on it, the row says all
    that attempts and addresses would repeat.
    """
    fetched, verdict, change, reason = item.fetched, item.verdict, item.change, item.reason.masked(redact.text)
    is_fetched_list = item.visit.kind != "page" and item.state in {"captured", "unchanged"}
    state = "fetched" if is_fetched_list else item.state
    is_plain = state == "unchanged" and len(item.attempts) == 1 and not item.attempts[0].steps
    went = fetched if fetched is not None and (fetched.redirects or fetched.final_url != item.visit.url) else None
    moved = went if is_plain else fetched
    return AuditRow(
        run_id=item.visit.run_id,
        timestamp=now,
        manifest_id=item.visit.source_id,
        url=item.visit.url,
        engine=fetched.tier if fetched else (item.attempts[-1].tier if item.attempts else HTTP),
        state=state,
        build=BUILD,
        kind=item.visit.kind,
        http_status=fetched.status if fetched else None,
        content_hash=change.content_hash if change else None,
        content_changed=change.changed if change else None,
        response_time_ms=fetched.response_time_ms if fetched else None,
        credits_consumed=sum(attempt.credits for attempt in item.attempts),
        retry_count=fetched.retry_count if fetched else max(0, len(item.attempts) - 1),
        error=reason + _truncation_note(item) if state == "failed" else None,
        staged_path=item.staged_path,
        reason=str(reason) or None,
        reason_code=reason.code.value,
        reason_detail=reason.detail,
        verdict=verdict.kind if verdict else None,
        rules=[fired.rule for fired in verdict.rules] if verdict else None,
        final_url=redact.text(moved.final_url) if moved else None,
        redirects=[(status, redact.text(url)) for status, url in moved.redirects] if moved else None,
        ip_address=fetched.ip_address if fetched else None,
        request_headers=redact.headers(fetched.request_headers) if fetched else None,
        response_headers=redact.headers(fetched.headers) if fetched else None,
        raw_hash=raw_hash,
        robots_object=robots_object,
        attempts=None if is_plain else [attempt.masked(redact.text).as_json() for attempt in item.attempts],
    )


def robots_audit_row(seen: RobotsFileRecord, file: RobotsFile, source_id: str, redact: Redactor) -> AuditRow:
    """The audit row of a robots.txt, as it was seen. Of the headers it has the validators alone."""
    is_unavailable, response_validators = seen.outcome == "unavailable", file.response_validators
    if is_unavailable:
        code: ReasonCode | None = ReasonCode.ROBOTS_UNAVAILABLE
    else:
        code = ReasonCode.NOT_MODIFIED if seen.status == 304 else None
    return AuditRow(
        run_id=seen.run_id,
        timestamp=seen.fetched_at,
        manifest_id=source_id,
        url=f"{seen.origin}/robots.txt",
        engine=HTTP,
        kind="robots",
        state="failed" if is_unavailable else "fetched",
        reason=seen.reason,
        reason_code=code.value if code is not None else None,
        reason_detail={"http_status": seen.status} if is_unavailable else None,
        http_status=seen.status,
        error=seen.reason if is_unavailable else None,
        request_headers=redact.headers(file.request_validators) if response_validators is not None else None,
        response_headers=redact.headers(response_validators) if response_validators is not None else None,
        raw_hash=seen.object,
        build=BUILD,
    )
