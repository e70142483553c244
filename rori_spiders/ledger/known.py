"""What is known of pages before a run asks for them: read for many at once, for a run asks for thousands."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING

from sqlalchemy import func, select

from rori_spiders.ledger.history import PageRow, Validators, pages_of
from rori_spiders.ledger.tables import page_links, page_validators, versions

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from datetime import datetime

    from sqlalchemy import Connection

#: Pages of one question: a few statements for all of them, far under the parameters that a database takes.
AT_ONCE = 200


@dataclass(frozen=True, slots=True)
class Text:
    """The newest text of a page: that of its newest version which is no removal."""

    page_id: int
    captured_at: datetime
    content_hash: str
    raw_object: str
    converter_version: str
    tier: str


@dataclass(frozen=True, slots=True)
class KnownPage:
    """A page that the source has had: what it held last, its validators by tier, its links in their order."""

    page: PageRow
    text: Text | None = None
    validators: Mapping[str, Validators] = field(default_factory=dict)
    links: tuple[str, ...] = ()

    @property
    def held(self) -> Text | None:
        """The text that we hold; None of a page that is gone, or had none yet."""
        return self.text if self.page.gone_at is None else None


def known_pages(conn: Connection, source_id: str, urls: Collection[str]) -> dict[str, KnownPage]:
    """Those of *urls* that the source has had."""
    known: dict[str, KnownPage] = {}
    for some in _some_of(urls):
        pages = pages_of(conn, source_id, some)
        ids = [page.page_id for page in pages.values()]
        if not ids:
            continue
        texts, validators, links = _texts(conn, ids), _validators(conn, ids), _links(conn, ids)
        for url, page in pages.items():
            of = page.page_id
            known[url] = KnownPage(page, texts.get(of), validators.get(of, {}), tuple(links.get(of, ())))
    return known


def links_of(conn: Connection, source_id: str, urls: Collection[str]) -> dict[str, tuple[str, ...]]:
    """The links of those of *urls* that the source has had, as last kept."""
    kept: dict[str, tuple[str, ...]] = {}
    for some in _some_of(urls):
        pages = pages_of(conn, source_id, some)
        links = _links(conn, [page.page_id for page in pages.values()])
        kept |= {url: tuple(links.get(page.page_id, ())) for url, page in pages.items()}
    return kept


def _some_of(urls: Collection[str]) -> Iterator[Sequence[str]]:
    listed = list(urls)
    for at in range(0, len(listed), AT_ONCE):
        yield listed[at : at + AT_ONCE]


def _texts(conn: Connection, ids: Collection[int]) -> dict[int, Text]:
    newest = (
        select(versions.c.page_id, func.max(versions.c.seq).label("seq"))
        .where(versions.c.page_id.in_(ids), versions.c.change_type != "deleted")
        .group_by(versions.c.page_id)
        .subquery()
    )
    same = (versions.c.page_id == newest.c.page_id) & (versions.c.seq == newest.c.seq)
    query = select(*(versions.c[one.name] for one in fields(Text))).join_from(versions, newest, same)
    return {row.page_id: Text(*row) for row in conn.execute(query).all()}


def _validators(conn: Connection, ids: Collection[int]) -> dict[int, dict[str, Validators]]:
    wanted = [page_validators.c[one.name] for one in fields(Validators)]
    query = select(page_validators.c.page_id, page_validators.c.tier, *wanted)
    found: defaultdict[int, dict[str, Validators]] = defaultdict(dict)
    for page_id, tier, *values in conn.execute(query.where(page_validators.c.page_id.in_(ids))).all():
        found[page_id][tier] = Validators(*values)
    return found


def _links(conn: Connection, ids: Collection[int]) -> dict[int, list[str]]:
    query = select(page_links.c.page_id, page_links.c.url).where(page_links.c.page_id.in_(ids))
    found: defaultdict[int, list[str]] = defaultdict(list)
    for page_id, url in conn.execute(query.order_by(page_links.c.page_id, page_links.c.position)).all():
        found[page_id].append(url)
    return found
