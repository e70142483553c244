"""Whether a page that was held may still be accepted, and what it, or its removal, is to the text held now."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rori_spiders.acceptance.declining import Declined
from rori_spiders.content import CONVERTER_VERSION
from rori_spiders.content.changes import content_hash
from rori_spiders.envelope import clean
from rori_spiders.items import Change
from rori_spiders.ledger import history

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from sqlalchemy import Connection

    from rori_spiders.content.convert import Converted
    from rori_spiders.ledger.history import PageRow, VersionRow


@dataclass(frozen=True, slots=True)
class Now:
    """What the ledger holds of a page now."""

    page: PageRow
    text: VersionRow


def held_now(conn: Connection, source_id: str, url: str, at: datetime) -> Now:
    """What is held of the page that was held back at *at*. Raises Declined when something newer is known of it."""
    page = history.page(conn, source_id, url)
    newest = history.newest_version(conn, page.page_id) if page is not None else None
    text = history.newest_text(conn, page.page_id) if page is not None else None
    if page is None or newest is None or text is None:
        raise Declined("nothing is held of it any more that it could replace")
    if newest.captured_at > at:
        what = "it was found to be gone" if newest.change_type == "deleted" else "a newer version of it was captured"
        raise Declined(f"{what} on {_day(newest.captured_at)}")
    if page.last_seen_at is not None and page.last_seen_at > at:
        raise Declined(f"it was read again on {_day(page.last_seen_at)}, and had the text that is held")
    if page.missing_since is not None and page.missing_since > at:
        raise Declined(f"it was not there any more on {_day(page.missing_since)}")
    return Now(page, text)


def removed(now: Now) -> Change:
    """That the page is gone. Raises Declined where that is known already, or it is not missing any more."""
    if now.page.gone_at is not None:
        raise Declined(f"it was found to be gone on {_day(now.page.gone_at)}")
    if now.page.missing_since is None:
        raise Declined("it is not missing any more")
    return Change("deleted", content_hash(""), now.text.content_hash, now.page.title)


def compare(converted: Converted, now: Now, again: Callable[[], Converted | None]) -> Change:
    """modified, or unchanged: hashes of the markdown, never across converters. *again* is the held text of today."""
    digest, held = content_hash(clean(converted.markdown)), now.text.content_hash
    same = digest == held
    if not same and now.text.converter_version != CONVERTER_VERSION and (today := again()) is not None:
        same = digest == content_hash(clean(today.markdown))
    return Change("unchanged", held, held) if same else Change("modified", digest, held)


def _day(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M} UTC"
