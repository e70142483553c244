"""Pages over time: the versions of a URL of a source, its validators and aliases, and the history of a page that
moved.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, bindparam, delete, func, or_, select, tuple_, union, update

from rori_spiders.ledger.audit.fact_log import note_rows
from rori_spiders.ledger.dialects import insert_missing, insert_rows, upsert
from rori_spiders.ledger.pages.vocabulary import format_version_id
from rori_spiders.ledger.tables import audit, page_aliases, page_links, page_validators, pages, runs, versions
from rori_spiders.urls.canonical import url_hash

#: Rows that are fetched from the database together: a source may have a million pages.
_BATCH_SIZE = 1000


@dataclass(frozen=True, slots=True)
class PageRow:
    """One URL of one source. ``content_hash`` is its newest version's; ``body_chars`` its last text's."""

    page_id: int
    source_id: str
    url: str
    url_hash: str
    title: str | None
    first_seen_at: datetime
    last_seen_at: datetime | None
    missing_since: datetime | None
    gone_at: datetime | None
    last_seq: int
    content_hash: str | None
    body_chars: int | None
    next_url: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class NewVersion:
    """A text that differs from the page's last one (or, as ``deleted``, its removal). Hashes are hex."""

    run_id: str
    captured_at: datetime
    change_type: str  # new | modified | deleted
    content_hash: str
    raw_object: str
    body_object: str
    section_hashes: Sequence[tuple[str, str]]
    converter_version: str
    tier: str
    html_hash: str | None = None
    title: str | None = None
    published: str | None = None
    effective: str | None = None
    publisher_version: str | None = None
    screenshot_object: str | None = None  # the picture of the page


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionRow(NewVersion):
    """A stored version: the page's ``seq``-th."""

    page_id: int
    seq: int
    is_stated: bool = False  # of an import: nobody captured it, its publisher stated it for that day, later

    @property
    def version_id(self) -> str:
        """What programs know it by: ``12-3``, the third of the page 12."""
        return format_version_id(self.page_id, self.seq)

    @property
    def is_import(self) -> bool:
        """Whether others captured it: such a text is not a version of the page, and has no number."""
        return self.change_type == "imported"

    @property
    def label(self) -> str:
        """How people call it."""
        return "imported text" if self.is_import else f"version {self.seq}"

    @property
    def is_removal(self) -> bool:
        """Whether the page was gone: such a version has no text."""
        return self.change_type == "deleted"


#: A page or file is read whole at least so often. What confirms it meanwhile without its bytes (a 304, an API's list of
#: versions) is the server's word: many answer by the date of a template, or out of a cache that nobody emptied.
CONFIRMED_FOR = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class Validators:
    """Headers for a conditional request by this tier, and the bytes that a 304 then confirms.

    ``seen_at`` is when they came with the bytes.
    """

    etag: str | None
    last_modified: str | None
    raw_hash: str
    seen_at: datetime


@dataclass(frozen=True, slots=True)
class HeldVersion:
    """The version of a URL at a moment, and its last confirmation before then."""

    source_id: str
    url: str
    version: VersionRow
    confirmed_at: datetime


def find_page(conn: Connection, source_id: str, url: str) -> PageRow | None:
    """The page of exactly this URL, not of an alias; None when the source never had it."""
    row = conn.execute(
        select(pages).where(pages.c.source_id == source_id, pages.c.url_hash == url_hash(url))
    ).one_or_none()
    return PageRow(*row) if row else None


def ensure_page(conn: Connection, source_id: str, url: str, *, now: datetime) -> PageRow:
    """The page of this URL, made (without a version) when the source never had it."""
    return ensure_pages(conn, source_id, {url: now})[url]


def ensure_pages(conn: Connection, source_id: str, urls: Mapping[str, datetime]) -> dict[str, PageRow]:
    """The pages of these URLs, each made at its time when the source never had it."""
    found = find_pages(conn, source_id, urls)
    made = [
        {"source_id": source_id, "url": url, "url_hash": url_hash(url), "first_seen_at": now}
        for url, now in urls.items()
        if url not in found
    ]
    if made:
        insert_missing(conn, pages, made)
        found |= find_pages(conn, source_id, [str(row["url"]) for row in made])
    if lost := urls.keys() - found.keys():
        raise LookupError(f"pages not there after they were made: {source_id} {sorted(lost)}")
    return found


def find_pages(conn: Connection, source_id: str, urls: Iterable[str]) -> dict[str, PageRow]:
    """Those of *urls* that the source has had, exactly these and not their aliases; at most some hundreds at once."""
    wanted = {url_hash(url): url for url in urls}
    query = select(pages).where(pages.c.source_id == source_id, pages.c.url_hash.in_(wanted))
    return {wanted[row.url_hash]: PageRow(*row) for row in conn.execute(query).all()} if wanted else {}


def add_version(conn: Connection, page_id: int, version: NewVersion, *, body_chars: int) -> int:
    """As ``add_versions``, for one page; gives the version's ``seq``."""
    return add_versions(conn, {page_id: (version, body_chars)})[page_id]


def add_versions(conn: Connection, added: Mapping[int, tuple[NewVersion, int]]) -> dict[int, int]:
    """Keep a version of each page as its newest, given with the characters of its text; gives their ``seq``.

    The pages are then seen, not missing and not gone; after ``deleted`` a page is gone, and keeps the size of its last
    text. At most some hundreds at once. Raises LookupError for a page that is not there.
    """
    if not added:
        return {}
    of_pages = select(pages.c.page_id, pages.c.last_seq, pages.c.source_id, pages.c.url)
    found = conn.execute(of_pages.where(pages.c.page_id.in_(added)).with_for_update()).all()
    seqs = {row.page_id: int(row.last_seq) + 1 for row in found}
    if lost := added.keys() - seqs.keys():
        raise LookupError(f"no such pages: {sorted(lost)}")
    made = {of: {"page_id": of, "seq": seqs[of], **_version_values(version)} for of, (version, _) in added.items()}
    insert_rows(conn, versions, list(made.values()))
    note_rows(conn, "version", ({**made[row.page_id], "source_id": row.source_id, "url": row.url} for row in found))
    removals, texts = [], []
    for page_id, (version, body_chars) in added.items():
        changes = {"of_page": page_id, "last_seq": seqs[page_id], "content_hash": version.content_hash}
        if version.change_type == "deleted":
            removals.append(changes | {"gone_at": version.captured_at})
        else:
            seen = {"title": version.title, "body_chars": body_chars, "last_seen_at": version.captured_at}
            texts.append(changes | seen | {"missing_since": None, "gone_at": None})
    for rows in filter(None, (removals, texts)):
        conn.execute(update(pages).where(pages.c.page_id == bindparam("of_page")), rows)
    return seqs


def _version_values(version: NewVersion) -> dict[str, Any]:
    return {name: getattr(version, name) for name in _VERSION_FIELDS}


_VERSION_FIELDS = tuple(field.name for field in fields(NewVersion))


def newest_seqs(conn: Connection) -> dict[int, int]:
    """Page -> ``seq`` of its newest version, a removal included; pages without one are left out."""
    rows = conn.execute(select(pages.c.page_id, pages.c.last_seq).where(pages.c.last_seq > 0))
    return {row.page_id: row.last_seq for row in rows}


def find_versions(conn: Connection, wanted: Collection[tuple[int, int]]) -> list[tuple[PageRow, VersionRow]]:
    """Those of *wanted*, pairs of page and ``seq``, that there are, each with its page; some hundreds at once."""
    is_wanted = tuple_(versions.c.page_id, versions.c.seq).in_(wanted)
    found = [_version_row(row) for row in conn.execute(select(versions).where(is_wanted)).mappings()]
    of = {
        row.page_id: PageRow(*row)
        for row in conn.execute(select(pages).where(pages.c.page_id.in_({one.page_id for one in found})))
    }
    return [(of[version.page_id], version) for version in found]


def newest_version(conn: Connection, page_id: int) -> VersionRow | None:
    """The page's newest version, a removal included; None when it has none yet."""
    found = list_versions(conn, page_id, limit=1)
    return found[0] if found else None


def newest_text(conn: Connection, page_id: int) -> VersionRow | None:
    """The page's newest version that has a text: what one that comes back after its removal is compared with."""
    query = select(versions).where(versions.c.page_id == page_id, versions.c.change_type != "deleted")
    row = conn.execute(query.order_by(versions.c.seq.desc()).limit(1)).mappings().one_or_none()
    return _version_row(row) if row else None


def list_versions(
    conn: Connection, page_id: int, limit: int | None = None, *, last: int | None = None
) -> list[VersionRow]:
    """The page's versions, newest first; those from number *last* back."""
    query = select(versions).where(versions.c.page_id == page_id).order_by(versions.c.seq.desc()).limit(limit)
    if last is not None:
        query = query.where(versions.c.seq <= last)
    return [_version_row(row) for row in conn.execute(query).mappings()]


def _version_row(row: Any) -> VersionRow:
    sections = [(heading, digest) for heading, digest in row["section_hashes"]]
    return VersionRow(**{**row, "section_hashes": sections})


def confirm_seen(conn: Connection, seen: Mapping[int, datetime]) -> None:
    """The pages were read again then, or a 304 confirmed them: their texts are still the newest versions'."""
    if seen:
        changes = update(pages).where(pages.c.page_id == bindparam("of_page")).values(missing_since=None)
        conn.execute(changes, [{"of_page": page_id, "last_seen_at": at} for page_id, at in seen.items()])


def mark_missing(conn: Connection, page_id: int, *, now: datetime) -> datetime:
    """The page answered 404 or 410; gives when it first did so since it was last seen."""
    this = pages.c.page_id == page_id
    conn.execute(update(pages).where(this, pages.c.missing_since.is_(None)).values(missing_since=now))
    since: datetime = conn.execute(select(pages.c.missing_since).where(this)).scalar_one()
    return since


def forget_missing(conn: Connection, source_id: str, *, since: datetime) -> None:
    """What was missed since then for the first time proves nothing: the site itself was not as it is."""
    missed = (pages.c.source_id == source_id) & (pages.c.missing_since >= since) & pages.c.gone_at.is_(None)
    conn.execute(update(pages).where(missed).values(missing_since=None))


def count_held_pages(conn: Connection, source_id: str) -> int:
    """How many pages of the source have a text and are not gone."""
    return int(conn.execute(select(func.count()).select_from(pages).where(*_is_held(source_id))).scalar_one())


def load_held_urls(conn: Connection, source_id: str, *, after: int, limit: int) -> dict[int, str]:
    """At most *limit* of those pages: page ID -> URL, by their IDs, of which the first comes *after* that."""
    query = select(pages.c.page_id, pages.c.url).where(*_is_held(source_id), pages.c.page_id > after)
    return {row.page_id: row.url for row in conn.execute(query.order_by(pages.c.page_id).limit(limit))}


def held_urls(conn: Connection, source_id: str) -> dict[str, str]:
    """The source's pages that have a text and are not gone: hash of the URL -> URL."""
    rows = conn.execute(select(pages.c.url_hash, pages.c.url).where(*_is_held(source_id)).order_by(pages.c.page_id))
    return {row.url_hash: row.url for row in rows}


def stream_last_seen_times(conn: Connection, source_id: str) -> Iterator[tuple[str, datetime]]:
    """When each of those pages was last read or confirmed: hash of the URL, UTC."""
    seen = (*_is_held(source_id), pages.c.last_seen_at.is_not(None))
    query = select(pages.c.url_hash, pages.c.last_seen_at).where(*seen)
    with conn.execute(query.execution_options(yield_per=_BATCH_SIZE)) as rows:
        for row in rows:
            yield row.url_hash, row.last_seen_at


def missing_urls(conn: Connection, source_id: str, *, since: datetime) -> list[str]:
    """Those of them that have answered 404 or 410, and nothing else, from *since* or earlier until now."""
    query = select(pages.c.url).where(*_is_held(source_id), pages.c.missing_since <= since).order_by(pages.c.page_id)
    return list(conn.execute(query).scalars())


def _is_held(source_id: str) -> tuple[ColumnElement[bool], ...]:
    return (pages.c.source_id == source_id, pages.c.content_hash.is_not(None), pages.c.gone_at.is_(None))


def set_links(conn: Connection, links_of: Mapping[int, Sequence[str]]) -> None:
    """Keep the links of each page, in their order, in place of those kept before; the same ones stay as they are."""
    if not links_of:
        return
    stored: dict[int, list[str]] = {page_id: [] for page_id in links_of}
    of_pages = page_links.c.page_id.in_(links_of)
    for page_id, url in conn.execute(
        select(page_links.c.page_id, page_links.c.url)
        .where(of_pages)
        .order_by(page_links.c.page_id, page_links.c.position)
    ):
        stored[page_id].append(url)
    changed = {page_id: urls for page_id, urls in links_of.items() if stored[page_id] != list(urls)}
    if outdated := [page_id for page_id in changed if stored[page_id]]:
        conn.execute(delete(page_links).where(page_links.c.page_id.in_(outdated)))
    rows = [
        {"page_id": page_id, "position": at, "url": url}
        for page_id, urls in changed.items()
        for at, url in enumerate(urls)
    ]
    insert_rows(conn, page_links, rows)


def set_next_urls(conn: Connection, next_of: Mapping[int, str | None]) -> None:
    """Keep the next page of each page's chain, in place of the one kept before."""
    if next_of:
        change = update(pages).where(pages.c.page_id == bindparam("of_page"))
        conn.execute(change, [{"of_page": page_id, "next_url": url} for page_id, url in next_of.items()])


def set_validators(conn: Connection, validators_of: Mapping[tuple[int, str], Validators]) -> None:
    """Keep what an answer gave: by page and tier, in place of what was kept before."""
    names = [field.name for field in fields(Validators)]
    rows = [
        {"page_id": of, "tier": tier} | {name: getattr(validators, name) for name in names}
        for (of, tier), validators in validators_of.items()
    ]
    upsert(conn, page_validators, rows)


def find_validators(conn: Connection, page_id: int, tier: str) -> Validators | None:
    """What ``set_validators`` kept last; None when nothing. Validators of one tier mean nothing to another."""
    of_tier = (page_validators.c.page_id == page_id) & (page_validators.c.tier == tier)
    row = conn.execute(select(*(page_validators.c[f.name] for f in fields(Validators))).where(of_tier)).one_or_none()
    return Validators(*row) if row else None


def add_alias(conn: Connection, page_id: int, url: str, *, kind: str, now: datetime) -> None:
    """*url* led to the page: by a ``redirect``, a ``canonical`` link, or it ``moved``; the first time stays."""
    row = {"page_id": page_id, "url_hash": url_hash(url), "url": url, "kind": kind, "seen_at": now}
    insert_missing(conn, page_aliases, [row])


def held_former_urls(conn: Connection, source_id: str, url: str) -> list[str]:
    """The addresses that redirect to the page of *url*, and of which a text is held; not those that were led away,
    which are missing from then on.
    """
    now = pages.alias("now")
    leads = select(pages.c.url).join_from(now, page_aliases, page_aliases.c.page_id == now.c.page_id)
    is_its_own = or_(pages.c.missing_since.is_(None), page_aliases.c.seen_at > pages.c.missing_since)
    query = leads.join(pages, pages.c.url_hash == page_aliases.c.url_hash).where(
        now.c.source_id == source_id, now.c.url_hash == url_hash(url), is_its_own, *_is_held(source_id)
    )
    return list(conn.execute(query.order_by(pages.c.page_id)).scalars())


def held_at(conn: Connection, url: str, at: datetime) -> list[HeldVersion]:
    """What was held of *url* (normalised; an alias too) at the moment *at*, one answer a source.

    A page that moved is found under both addresses: what it held before as what its former address held. A source
    whose newest version by then was a removal, or that had none yet, gives no answer.
    """
    wanted = url_hash(url)
    own = select(pages.c.page_id).where(pages.c.url_hash == wanted)
    alias = select(page_aliases.c.page_id).where(page_aliases.c.url_hash == wanted, page_aliases.c.seen_at <= at)
    # One list of page ids: alternatives joined by OR would be tried on every page of the ledger.
    its = pages.c.page_id.in_(union(own, alias, _former_addresses(wanted)))
    found = conn.execute(select(pages).where(its, ~_moved_by(at)).order_by(pages.c.source_id, pages.c.page_id))
    answers = (_held_version(conn, PageRow(*row), at) for row in found)
    return [held for held in answers if held is not None]


def _former_addresses(wanted: str) -> Select[tuple[int]]:
    """Ids of pages of the same source whose address leads to the page of *wanted* (a hash) by now."""
    now, former = pages.alias("now"), pages.alias("former")
    leads = select(former.c.page_id).join_from(now, page_aliases, page_aliases.c.page_id == now.c.page_id)
    same = (former.c.source_id == now.c.source_id) & (former.c.url_hash == page_aliases.c.url_hash)
    return leads.join(former, same).where(now.c.url_hash == wanted)


def _moved_by(at: datetime) -> ColumnElement[bool]:
    """Whether a page's address led to another page with a text by then, and it was not itself seen again."""
    now = pages.alias("target")
    text = select(versions.c.seq).where(versions.c.page_id == now.c.page_id, versions.c.captured_at <= at).exists()
    there = (page_aliases.c.url_hash == pages.c.url_hash) & (page_aliases.c.seen_at <= at)
    since = or_(pages.c.last_seen_at.is_(None), page_aliases.c.seen_at >= pages.c.last_seen_at)
    led = select(page_aliases.c.page_id).join_from(page_aliases, now).where(there, since, text)
    return led.where(now.c.source_id == pages.c.source_id).exists()


def _held_version(conn: Connection, of: PageRow, at: datetime) -> HeldVersion | None:
    newest = select(versions).where(versions.c.page_id == of.page_id, versions.c.captured_at <= at)
    row = conn.execute(newest.order_by(versions.c.seq.desc()).limit(1)).mappings().one_or_none()
    if row is None or row["change_type"] == "deleted":
        return None
    version = _version_row(row)
    confirmed = conn.execute(
        select(func.max(audit.c.timestamp)).where(
            audit.c.manifest_id == of.source_id,
            audit.c.url_hash == of.url_hash,
            audit.c.content_hash == version.content_hash,
            audit.c.timestamp.between(version.captured_at, at),
        )
    ).scalar()
    return HeldVersion(of.source_id, of.url, version, confirmed or version.captured_at)


# The history of a page that moved: what it held at its address of now, and before that where it stood until then.
# Functions over a Connection. A page moved where its former address leads to it (``page_aliases``), and was last seen
# as a page of its own before the run that first saw it here: two pages that were there at once are two pages, also
# when one of them leads to the other by now.

#: Addresses of one page, one after the other.
_MAX_ADDRESSES = 20


def page_addresses(conn: Connection, page: PageRow) -> list[PageRow]:
    """The page under its address of now, then under those that it had before, newest first; *page* is one of them."""
    led = [page]
    while len(led) < _MAX_ADDRESSES and (later := _later_page(conn, led[0])) is not None and later not in led:
        led.insert(0, later)
    of_now = _add_former_pages(conn, led[:1])
    return of_now if page in of_now else _add_former_pages(conn, led)  # one of several that became one page


def _add_former_pages(conn: Connection, found: list[PageRow]) -> list[PageRow]:
    while len(found) < _MAX_ADDRESSES and (former := _former_page(conn, found[-1])) is not None and former not in found:
        found.append(former)
    return found


def page_urls(conn: Connection, url: str, source_id: str | None = None) -> list[str]:
    """All addresses, *url* among them, of the page of *url* (normalised) in one source, or in all."""
    of = (pages.c.url_hash == url_hash(url), *((pages.c.source_id == source_id,) if source_id is not None else ()))
    found = [one.url for row in conn.execute(select(pages).where(*of)) for one in page_addresses(conn, PageRow(*row))]
    return list(dict.fromkeys([url, *found]))


def list_versions_with_former(conn: Connection, of: list[PageRow]) -> list[VersionRow]:
    """The versions of a page under *of*, its ``addresses``, newest first.

    What became of a former address once the page stood at the next one is not the page's: its removal, as a rule.
    """
    found: list[VersionRow] = []
    until: datetime | None = None
    for page in of:
        held = [one for one in list_versions(conn, page.page_id) if until is None or one.captured_at < until]
        found += held
        until = held[-1].captured_at if held else until
    return found


def _former_page(conn: Connection, page: PageRow) -> PageRow | None:
    """Where the page stood before; of several addresses that lead to it the one with its text, or the last one seen."""
    began = _first_run_started_at(conn, page)
    if began is None:
        return None
    leads = (pages.c.url_hash == page_aliases.c.url_hash) & (page_aliases.c.page_id == page.page_id)
    rows = conn.execute(
        select(pages).join(page_aliases, leads).where(*_ended_before(began), pages.c.source_id == page.source_id)
    )
    found = [PageRow(*row) for row in rows if row.page_id != page.page_id]
    if len(found) < 2:
        return next(iter(found), None)
    first = list_versions(conn, page.page_id)[-1].content_hash
    return max(found, key=lambda one: (_last_text_hash(conn, one) == first, one.last_seen_at))


def _later_page(conn: Connection, page: PageRow) -> PageRow | None:
    """Where the page stands now, that *page* was."""
    leads = (page_aliases.c.page_id == pages.c.page_id) & (page_aliases.c.url_hash == page.url_hash)
    rows = conn.execute(
        select(pages)
        .join(page_aliases, leads)
        .where(pages.c.source_id == page.source_id, pages.c.last_seq > 0, pages.c.page_id != page.page_id)
        .order_by(page_aliases.c.seen_at.desc())
    )
    for row in rows:
        later = PageRow(*row)
        began = _first_run_started_at(conn, later)
        if began is not None and page.last_seen_at is not None and page.last_seen_at < began:
            return later
    return None


def is_text_elsewhere(conn: Connection, page: PageRow, target: str) -> bool:
    """Whether the text of *page*, whose address redirects to *target* (normalised), may be sought there.

    It may not where a page with another text stands there that was there at once with *page*, or to which another page
    moved, or where nothing is found any more.
    """
    passed = {page.url}
    while len(passed) < _MAX_ADDRESSES and target not in passed:
        passed.add(target)
        there = find_page(conn, page.source_id, target)
        if there is None or there.content_hash == page.content_hash:
            return True
        if there.last_seq:
            began, former = _first_run_started_at(conn, there), _former_page(conn, there)
            came_later = began is None or page.last_seen_at is None or page.last_seen_at < began
            return came_later and (former is None or former.page_id == page.page_id)
        if there.missing_since is not None:
            return False
        leads = (page_aliases.c.page_id == pages.c.page_id) & (page_aliases.c.url_hash == there.url_hash)
        of_source = (pages.c.source_id == page.source_id, pages.c.page_id != there.page_id)
        led = select(pages.c.url).join(page_aliases, leads).where(*of_source).order_by(page_aliases.c.seen_at.desc())
        target = conn.execute(led.limit(1)).scalar() or target
    return True


def _first_run_started_at(conn: Connection, page: PageRow) -> datetime | None:
    """When the run began that first brought a text of the page."""
    first = (
        versions.c.seq
        == select(versions.c.seq)
        .where(versions.c.page_id == page.page_id)
        .order_by(versions.c.seq)
        .limit(1)
        .scalar_subquery()
    )
    query = select(runs.c.started_at).join(versions, versions.c.run_id == runs.c.run_id)
    return conn.execute(query.where(versions.c.page_id == page.page_id, first)).scalar()


def _ended_before(at: datetime) -> tuple[ColumnElement[bool], ...]:
    return (pages.c.last_seq > 0, pages.c.last_seen_at.is_not(None), pages.c.last_seen_at < at)


def _last_text_hash(conn: Connection, page: PageRow) -> str | None:
    text = newest_text(conn, page.page_id)
    return None if text is None else text.content_hash
