"""Describe each new version of a page once: after a job, or when somebody asks for the list of changes.

In: the ledger's versions without a row in ``changes``, their texts. Out: the rows. It can be interrupted, repeated, and
done by two processes at once. A text that is missing or cannot be compared is named in the row, never passed over.
"""

import re
import time
from collections import Counter
from collections.abc import Callable, Collection
from datetime import UTC, datetime, timedelta
from functools import partial
from hashlib import sha256
from typing import Any
from urllib.parse import urlsplit

from sqlalchemy import Connection

from rori_spiders.comparison.change_description import (
    ChangeDescription,
    amended_parts,
    describe_difference,
    describe_whole_page,
)
from rori_spiders.comparison.change_weight import line_shape, weigh_change, weight_rules
from rori_spiders.comparison.importance import Importance
from rori_spiders.comparison.noise import SiteHistory
from rori_spiders.comparison.staged_text import TextMissing, read_staged_text
from rori_spiders.comparison.version_diff import TextArchive, VersionTexts, compare_versions, read_version_texts
from rori_spiders.content.sections import outline
from rori_spiders.exceptions import DamagedObject, RoriError
from rori_spiders.ledger.pages import change_records, page_history
from rori_spiders.ledger.pages.change_records import UndescribedVersion, UnweighedChange
from rori_spiders.ledger.pages.page_history import PageRow, VersionRow
from rori_spiders.urls.canonical import registrable_domain

#: Versions that are described and recorded together.
_BATCH = 50
_WEIGHED_TOGETHER = 200
#: A version, a removal before it, and the text before that.
_NEAR_VERSIONS = 3
#: What belongs together is captured within so many days of its first change: a rule and its comments are published on
#: one day, a template reaches all pages of a site in some, and daily visits with a failure in between see both.
PUBLICATION_DAYS = 7
#: Where documents of the Federal Register stand.
_REGISTER = re.compile(
    r"https?://(?:www\.)?(?:federalregister\.gov/(?:d|documents)/|govinfo\.gov/(?:app/details|content/pkg)/FR-)"
)
#: What a site did by itself so many days ago says what it does now.
HISTORY_DAYS = 60


def describe_new_versions(
    archive: TextArchive,
    *,
    clock: Callable[[], datetime],
    longest_s: float | None = None,
    stopped: Callable[[], bool] = lambda: False,
) -> int:
    """Describe what is not described yet; how many versions are left after *longest_s* seconds (None: no limit).

    After ``change_records.record_initial_captures``: first captures are not compared.
    Raises LedgerError and StagingError (of a store that cannot be read at all).
    """
    ledger, end = archive.ledger, None if longest_s is None else time.monotonic() + longest_s
    noise_lines: dict[str, tuple[str, ...]] = {}
    histories: dict[str, SiteHistory] = {}

    def is_over() -> bool:
        return stopped() or (end is not None and time.monotonic() >= end)

    while found := ledger.read(lambda conn: change_records.list_undescribed(conn, _BATCH)):
        rows = []
        for one in found:
            if is_over():
                break
            source_id = one.page.source_id
            if source_id not in noise_lines:
                noise_lines[source_id] = present_lines(archive, source_id)
            site = site_of(one.page.url)
            if site not in histories:
                histories[site] = _read_history(archive, site, one.captured_at)
            rows.append(_change_row(archive, one, clock(), noise_lines[source_id], histories[site]))
            histories[site].add_change(one.page.page_id, day_of(one.captured_at), rows[-1]["details"])
        ledger.write(lambda conn, rows=rows: change_records.add_changes(conn, rows))  # type: ignore[misc]
        if len(rows) < len(found):
            break
    while not is_over() and ledger.read(partial(change_records.list_unweighed, limit=1)):
        ledger.write(weigh_changes)
    return ledger.read(change_records.count_undescribed) if found else 0


def weigh_changes(conn: Connection) -> int:
    """Give changes their place within their importance; how many. One that makes lines recur moves those before it."""
    found = change_records.list_unweighed(conn, _WEIGHED_TOGETHER)
    for one in found:
        site, shape = site_of(one.url), line_shape(one.details)
        edit = _edit_of_site(site, one.details)
        publication = _choose_publication(conn, one, edit)
        before = change_records.list_days_of_shape(conn, site, shape) if shape else set()
        days = before | {day_of(one.at)}
        # Those before had their place by fewer days; once none of the rules asks for more, they stay.
        is_reached = any(len(before) < (rule.days or 0) <= len(days) for rule in weight_rules())
        moved = change_records.list_same_shape(conn, site, shape) if is_reached else []
        rows = []
        for change in (*moved, one):
            points, rules = weigh_change(change.details, title=change.title, versions=change.seq, days=len(days))
            rows.append({
                "page_id": change.page_id, "seq": change.seq, "points": points, "rules": rules, "site": site[:260],
                "shape": shape, "edit": _edit_of_site(site, change.details),
                "publication": change.publication or publication,
            })  # fmt: skip
        change_records.add_weights(conn, rows)
    return len(found)


def site_of(url: str) -> str:
    """The registrable domain."""
    return registrable_domain(urlsplit(url).hostname or "")


def day_of(at: datetime) -> str:
    """The day in UTC, 2026-11-30."""
    return f"{at.astimezone(UTC):%Y-%m-%d}"


def _read_history(archive: TextArchive, site: str, until: datetime) -> SiteHistory:
    history = SiteHistory()
    with archive.ledger.connect() as conn:
        for page_id, at, details in change_records.list_details_of_site(
            conn, site, until - timedelta(days=HISTORY_DAYS), until
        ):
            history.add_change(page_id, day_of(at), details)
    return history


def _edit_of_site(site: str, details: dict[str, Any]) -> str:
    edit = details.get("alike") or details.get("edit")
    return sha256(f"{site} {edit}".encode()).hexdigest()[:12] if edit else ""


def _choose_publication(conn: Connection, change: UnweighedChange, edit: str) -> str:
    """With what a change belongs together: its part of a code, or those that it amends; else the edit of the site that
    other runs found too, figures apart; else its run. Those of a part or of an edit within PUBLICATION_DAYS days of the
    first."""
    day, period = change.at.astimezone(UTC).date(), timedelta(days=PUBLICATION_DAYS)
    days = [day - timedelta(days=back) for back in range(PUBLICATION_DAYS + 1)]
    part = change.details.get("part")
    parts = [part] if part else change.details.get("amends", [])
    topics = parts or [edit] if edit else parts
    if not topics:
        return change.run_id
    if found := change_records.open_publication(conn, [f"{topic} {one}" for topic in topics for one in days]):
        return found
    if parts:  # of a document that amends several, which is named by one of them
        amending = change_records.find_amending(conn, parts, change.at - period, change.at, importance=Importance.HIGH)
        return amending or f"{parts[0]} {day}"
    same = change_records.list_same_edit(conn, edit, change.at - period, change.at + period)
    if all(one.run_id == change.run_id for one in same):
        return change.run_id
    shared = f"{edit} {min(change.at, same[0].at).astimezone(UTC).date()}"
    change_records.move_to_publication(conn, same, shared)
    return shared


def present_lines(archive: TextArchive, source_id: str) -> tuple[str, ...]:
    """The noise lines that hold now; none for a source that is not in the active manifest."""
    try:
        return archive.catalog().source(source_id).scrape_config.noise_lines
    except (RoriError, KeyError):
        return ()


def _change_row(
    archive: TextArchive, one: UndescribedVersion, now: datetime, noise_lines: Collection[str], history: SiteHistory
) -> dict[str, Any]:
    with archive.ledger.connect() as conn:
        addresses = page_history.page_addresses(conn, one.page)
        own = page_history.list_versions(conn, one.page.page_id, _NEAR_VERSIONS, last=one.seq)
        is_near = addresses == [one.page] and any(not version.is_removal for version in own[1:])
        held = own if is_near else page_history.list_versions_with_former(conn, addresses)
        # What became of a former address, once the page stood at the next one, is not a version of the page.
        if (new := own[0]) not in held:
            held = page_history.list_versions(conn, one.page.page_id, last=one.seq)
        restless = change_records.restless_lines(conn, one.page.page_id, one.seq)
    earlier = held[held.index(new) + 1 :]
    text = next((version for version in earlier if not version.is_removal), None)
    at = {page.page_id: page for page in addresses}
    described = _describe(
        archive, at, one.page, new, earlier, text, restless=restless, noise_lines=noise_lines, history=history
    )
    return {
        "page_id": one.page.page_id,
        "seq": one.seq,
        "source_id": one.page.source_id,
        "at": one.captured_at,
        "from_seq": text.seq if text is not None and text.page_id == new.page_id else None,
        "kind": described.kind,
        "importance": int(described.importance),
        "details": described.details,
        "described_at": now,
        "url": one.page.url,
    }


def _describe(
    archive: TextArchive,
    addresses: dict[int, PageRow],
    page: PageRow,
    new: VersionRow,
    earlier: list[VersionRow],
    text: VersionRow | None,
    *,
    restless: Collection[str],
    noise_lines: Collection[str],
    history: SiteHistory,
) -> ChangeDescription:
    if new.is_removal and (stands := next(iter(addresses.values()))).page_id != page.page_id:
        return describe_whole_page("address", new.title, page.url, notes=[f"The page stands at {stands.url} now."])
    if new.is_removal:
        return describe_whole_page("removed", new.title, page.url)
    if text is None:
        return describe_whole_page("new_page", new.title, page.url, amends=_read_amended_parts(archive, page, new))
    notes = []
    if text.page_id != new.page_id:
        notes.append(f"The page stood at {addresses[text.page_id].url} before.")
    if earlier[0].is_removal:
        notes.append("The page is back after its removal.")
        if text.content_hash == new.content_hash:
            return describe_whole_page("returned", new.title, page.url, notes=notes)
    if text.content_hash == new.content_hash:
        return describe_whole_page("address", new.title, page.url, notes=notes)
    try:
        texts = read_version_texts(archive, addresses, text, new)
    except (TextMissing, DamagedObject) as error:
        return describe_whole_page("unknown", new.title, page.url, notes=[*notes, str(error)])
    difference = compare_versions(texts, text, new)
    return describe_difference(
        difference,
        text,
        new,
        page.url,
        old_words=len(texts.old.split()),
        notes=[*notes, *texts.notes],
        restless=restless,
        noise_lines=noise_lines,
        site=history,
        words_of=count_words_of_sections(texts),
    )


def _read_amended_parts(archive: TextArchive, page: PageRow, new: VersionRow) -> list[str]:
    if not _REGISTER.match(page.url):
        return []
    try:
        return amended_parts(read_staged_text(archive.store, new))
    except (TextMissing, DamagedObject):
        return []


def count_words_of_sections(texts: VersionTexts) -> Counter[str]:
    """Of each section, by its heading path, the words before and after together."""
    counts: Counter[str] = Counter()
    for text in (texts.old, texts.new):
        for section in outline(text):
            counts[section.path] += len(text[section.start : section.end].split())
    return counts
