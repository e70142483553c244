"""The state of pages, prefetched for many at once: what a run needs before it requests them, and what a list of
many pages may confirm.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime

from sqlalchemy import Connection, and_, func, select

from rori_spiders.ledger.pages.page_history import PageRow, Validators, find_pages
from rori_spiders.ledger.tables import page_links, page_validators, pages, run_urls, versions

#: Pages of one question: a few statements for all of them, far under the parameters that a database takes.
BATCH_SIZE = 200


@dataclass(frozen=True, slots=True)
class PageText:
    """The newest text of a page, ignoring removals."""

    page_id: int
    run_id: str  # in which it was captured
    captured_at: datetime
    content_hash: str
    raw_object: str
    converter_version: str
    tier: str
    publisher_version: str | None


@dataclass(frozen=True, slots=True)
class PageState:
    """A page that the source has had: what it held last, its validators by tier, its links, its routes."""

    page: PageRow
    text: PageText | None = None
    validators: Mapping[str, Validators] = field(default_factory=dict)
    links: tuple[str, ...] = ()
    routes: tuple[str, ...] = ()  # links to what only scripts know, with what follows #

    @property
    def held(self) -> PageText | None:
        """The text that we hold; None of a page that is gone, or had none yet."""
        return self.text if self.page.gone_at is None else None


def load_page_states(conn: Connection, source_id: str, urls: Collection[str]) -> dict[str, PageState]:
    """Those of *urls* that the source has had."""
    known: dict[str, PageState] = {}
    for some in _batches(urls):
        pages = find_pages(conn, source_id, some)
        ids = [page.page_id for page in pages.values()]
        if not ids:
            continue
        texts, validators, links = _load_texts(conn, ids), _load_validators(conn, ids), _load_page_links(conn, ids)
        for url, page in pages.items():
            of, (addresses, routes) = page.page_id, _without_routes(links.get(page.page_id, ()))
            known[url] = PageState(page, texts.get(of), validators.get(of, {}), addresses, routes)
    return known


def load_links(conn: Connection, source_id: str, urls: Collection[str]) -> dict[str, tuple[str, ...]]:
    """The links of those of *urls* that the source has had, as last kept; without routes."""
    links_of_url: dict[str, tuple[str, ...]] = {}
    for some in _batches(urls):
        pages = find_pages(conn, source_id, some)
        links = _load_page_links(conn, [page.page_id for page in pages.values()])
        links_of_url |= {url: _without_routes(links.get(page.page_id, ()))[0] for url, page in pages.items()}
    return links_of_url


def load_next_urls(conn: Connection, source_id: str, urls: Collection[str]) -> dict[str, str]:
    """The next page in the chain of those of *urls* that have one."""
    known = (page for some in _batches(urls) for page in find_pages(conn, source_id, some).values())
    return {page.url: page.next_url for page in known if page.next_url is not None}


def _batches(urls: Collection[str]) -> Iterator[Sequence[str]]:
    listed = list(urls)
    for at in range(0, len(listed), BATCH_SIZE):
        yield listed[at : at + BATCH_SIZE]


def _load_texts(conn: Connection, ids: Collection[int]) -> dict[int, PageText]:
    newest = (
        select(versions.c.page_id, func.max(versions.c.seq).label("seq"))
        .where(versions.c.page_id.in_(ids), versions.c.change_type != "deleted")
        .group_by(versions.c.page_id)
        .subquery()
    )
    same = (versions.c.page_id == newest.c.page_id) & (versions.c.seq == newest.c.seq)
    query = select(*(versions.c[one.name] for one in fields(PageText))).join_from(versions, newest, same)
    return {row.page_id: PageText(*row) for row in conn.execute(query).all()}


def _load_validators(conn: Connection, ids: Collection[int]) -> dict[int, dict[str, Validators]]:
    wanted = [page_validators.c[one.name] for one in fields(Validators)]
    query = select(page_validators.c.page_id, page_validators.c.tier, *wanted)
    found: defaultdict[int, dict[str, Validators]] = defaultdict(dict)
    for page_id, tier, *values in conn.execute(query.where(page_validators.c.page_id.in_(ids))).all():
        found[page_id][tier] = Validators(*values)
    return found


def _load_page_links(conn: Connection, ids: Collection[int]) -> dict[int, list[str]]:
    query = select(page_links.c.page_id, page_links.c.url).where(page_links.c.page_id.in_(ids))
    found: defaultdict[int, list[str]] = defaultdict(list)
    for page_id, url in conn.execute(query.order_by(page_links.c.page_id, page_links.c.position)).all():
        found[page_id].append(url)
    return found


def _without_routes(urls: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Addresses that can be requested, which have no fragment, and the others."""
    return tuple(url for url in urls if "#" not in url), tuple(url for url in urls if "#" in url)


# Pages whose text an answer about many of them may confirm: what was said of each when it was last read.


@dataclass(frozen=True, slots=True)
class ConfirmablePage:
    """A page by its last reading: what names its state, when it was that, by the server's clock; and its last sight.

    ``read_at``: when the text came last; ``publisher_version``: of the text.
    """

    url: str
    etag: str
    last_modified: str | None
    last_seen_at: datetime
    read_at: datetime
    publisher_version: str | None


def load_confirmable_pages(conn: Connection, source_id: str, tier: str) -> dict[str, ConfirmablePage]:
    """By hash of the URL, what *tier* said with the text: of pages that are not gone and whose text it gave."""
    newest = and_(versions.c.page_id == pages.c.page_id, versions.c.seq == pages.c.last_seq)
    query = (
        select(pages.c.url_hash, pages.c.url, page_validators.c.etag, page_validators.c.last_modified)
        .add_columns(pages.c.last_seen_at, page_validators.c.seen_at, versions.c.publisher_version)
        .select_from(pages.join(page_validators, page_validators.c.page_id == pages.c.page_id).join(versions, newest))
        .where(pages.c.source_id == source_id, pages.c.content_hash.is_not(None), pages.c.gone_at.is_(None))
        .where(page_validators.c.tier == tier, versions.c.tier == tier, page_validators.c.etag.is_not(None))
    )
    return {row.url_hash: ConfirmablePage(*row[1:]) for row in conn.execute(query)}


def load_read_lists(conn: Connection, run_id: str) -> set[str]:
    """The addresses of what an API listed to a run, to the end."""
    read_lists = (run_urls.c.run_id == run_id, run_urls.c.kind == "api", run_urls.c.state == "captured")
    return set(conn.execute(select(run_urls.c.url).where(*read_lists)).scalars())
