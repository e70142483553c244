"""Which two versions of a page are meant: by number, by hash, or by the day on which they were in force."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from difflib import get_close_matches
from typing import TYPE_CHECKING

from sqlalchemy import select

from rori_spiders.exceptions import UsageError
from rori_spiders.ledger import history
from rori_spiders.ledger.tables import page_aliases, pages
from rori_spiders.terminal.listing import shown
from rori_spiders.urls import normalise, url_hash

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy import Connection

    from rori_spiders.ledger.history import PageRow, VersionRow

#: How many of what there is a message lists.
_MOST_LISTED = 20
_NUMBER = re.compile(r"v?(\d{1,9})")
_HASH = re.compile(r"(?:sha256:)?([0-9a-f]{4,64})", re.IGNORECASE)
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


def find_page(conn: Connection, source_id: str, url: str) -> PageRow:
    """The source's page of this URL, or to which this URL led. UsageError, with what there is, when it has no text."""
    try:
        wanted = normalise(url)
    except ValueError as error:
        raise UsageError(f"{url!r} is no page's URL: {error}") from None
    found = history.page(conn, source_id, wanted) or _by_alias(conn, source_id, wanted)
    if found is not None and found.last_seq:
        return found
    of_source = select(pages.c.url).where(pages.c.source_id == source_id, pages.c.last_seq > 0).order_by(pages.c.url)
    urls = list(conn.execute(of_source).scalars())
    if urls:
        raise UsageError(f"no version of {wanted} is held of {source_id!r}. Held are:\n{_listed(urls, wanted)}")
    ids = list(conn.execute(select(pages.c.source_id).where(pages.c.last_seq > 0).distinct()).scalars())
    if not ids:
        raise UsageError("no page is held yet: run `scrapy collect`")
    raise UsageError(
        f"no page of a source {source_id!r} is held. Sources with pages:\n{_listed(sorted(ids), source_id)}"
    )


def _by_alias(conn: Connection, source_id: str, url: str) -> PageRow | None:
    led_to = select(pages.c.url).join(page_aliases, page_aliases.c.page_id == pages.c.page_id)
    of_source = (pages.c.source_id == source_id, page_aliases.c.url_hash == url_hash(url))
    found = conn.execute(led_to.where(*of_source).limit(1)).scalar()
    return history.page(conn, source_id, found) if found is not None else None


def _listed(names: Sequence[str], wanted: str) -> str:
    near = get_close_matches(wanted, names, n=_MOST_LISTED, cutoff=0.5)
    first = [*near, *(name for name in names if name not in near)][:_MOST_LISTED]
    more = (
        [f"  and {len(names) - len(first)} more: `scrapy audit --status captured`"] if len(names) > len(first) else []
    )
    return "\n".join([*(f"  {shown(name)}" for name in first), *more])


def two_versions(
    versions: Sequence[VersionRow], first: str | None, second: str | None, pages: Mapping[int, PageRow]
) -> tuple[VersionRow, VersionRow]:
    """What is to be compared, of a page's *versions*, newest first: by default the newest, and the one before it.

    *pages* are its addresses, by their number. UsageError, with what there is, for what names no version.
    """
    held = _Held(versions, pages)
    new = held.named(second) if second is not None else versions[0]
    if first is not None:
        return held.named(first), new
    older = versions[versions.index(new) + 1 :]
    if not older:
        raise UsageError(f"there is no version before version {new.seq} to compare it with. {held}")
    return older[0], new


class _Held:
    """A page's versions, newest first; those of the address that it has now have numbers, all have hashes and days."""

    def __init__(self, versions: Sequence[VersionRow], pages: Mapping[int, PageRow]) -> None:
        self._versions = versions
        self._pages = pages

    def named(self, said: str) -> VersionRow:
        if _DAY.match(said):
            return self._in_force(said)
        if (number := _NUMBER.fullmatch(said)) and (at := self._numbered(int(number[1]))):
            return at
        if digest := _HASH.fullmatch(said):
            fitting = [version for version in self._versions if version.content_hash.startswith(digest[1].lower())]
            if len({version.content_hash for version in fitting}) == 1:
                return fitting[0]
            if fitting:
                raise UsageError(f"{said!r} begins several hashes: give more of it. {self}")
        raise UsageError(
            f"{said!r} is no version of this page: give a number, the beginning of a hash, or a day such as "
            f"2026-02-13. {self}"
        )

    def _is_here(self, version: VersionRow) -> bool:
        return version.page_id == self._versions[0].page_id

    def _numbered(self, seq: int) -> VersionRow | None:
        return next((one for one in self._versions if one.seq == seq and self._is_here(one)), None)

    def _in_force(self, said: str) -> VersionRow:
        """The newest that had been captured by the end of the day, or at the time."""
        try:
            if _DAY.fullmatch(said):
                end = datetime.combine(date.fromisoformat(said) + timedelta(days=1), datetime.min.time(), UTC)
            else:
                at = datetime.fromisoformat(said)
                end = (at if at.tzinfo else at.replace(tzinfo=UTC)) + timedelta(microseconds=1)
        except (ValueError, OverflowError):
            raise UsageError(
                f"expected a day or a time such as 2026-02-13 or 2026-02-13T14:30:00Z, not {said!r}"
            ) from None
        found = next((version for version in self._versions if version.captured_at < end), None)
        if found is None:
            raise UsageError(f"nothing of this page was held on {said}. {self}")
        return found

    def __str__(self) -> str:
        listed = self._versions[:_MOST_LISTED]
        more = [f"  and {len(self._versions) - _MOST_LISTED} older ones"] if len(self._versions) > _MOST_LISTED else []
        return "\n".join(["Held are:", *map(self._line, listed), *more])

    def _line(self, one: VersionRow) -> str:
        number = str(one.seq) if self._is_here(one) else ""
        there = "" if self._is_here(one) else f"  at {self._pages[one.page_id].url}"
        said = f"  {number:>4}  {shown(one.captured_at)} UTC  {one.change_type:<8}  {one.content_hash[:12]}"
        return f"{said}{there}"
