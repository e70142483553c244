"""The texts of two versions, like with like: what an older converter wrote is written anew from the bytes it read."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sqlalchemy import select

from rori_spiders.content import CONVERTER_VERSION
from rori_spiders.content.convert import Options, digest
from rori_spiders.envelope import clean
from rori_spiders.exceptions import ConversionError, RoriError, StagingError
from rori_spiders.inforce import read_in_force
from rori_spiders.ledger.tables import audit
from rori_spiders.pipelines.convert import options_of
from rori_spiders.pool import IN_PLACE_BYTES, WorkPool
from rori_spiders.stores import open_store
from rori_spiders.tiers import restore

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy import Connection

    from rori_spiders.ledger.database import Ledger
    from rori_spiders.ledger.history import PageRow, VersionRow
    from rori_spiders.places import Places
    from rori_spiders.stores.base import Store


@dataclass
class Texts:
    """The markdown of two versions, and what must be known to read their difference."""

    old: str
    new: str
    notes: list[str] = field(default_factory=list)


def read_texts(places: Places, ledger: Ledger, pages: Mapping[int, PageRow], old: VersionRow, new: VersionRow) -> Texts:
    """The texts to compare; *pages* by their number. StagingError when one is not in the staging area any more."""
    store = open_store(places.staging)
    texts = Texts(_kept(store, old), _kept(store, new), [_removal(one) for one in (old, new) if _is_removal(one)])
    if old.tier != new.tier and not texts.notes:
        texts.notes.append(
            f"Version {old.seq} came by {old.tier}, version {new.seq} by {new.tier}: they may show it differently."
        )
    if old.converter_version == new.converter_version or _is_removal(old) or _is_removal(new):
        return texts
    how = f"Version {old.seq} is of converter {old.converter_version}, version {new.seq} of {new.converter_version}"
    try:
        again = _Again(places, ledger, store, pages)
        old_text, new_text = (again.text(each, kept) for each, kept in ((old, texts.old), (new, texts.new)))
    except (ConversionError, StagingError, FileNotFoundError) as error:
        why = "the bytes of one are missing" if isinstance(error, FileNotFoundError) else str(error)
        texts.notes.append(
            f"{how}; they could not both be converted by one ({why}): part of what differs may be the converters' work."
        )
        return texts
    same = " The page itself did not change: only the converter did." if old_text == new_text else ""
    note = f"{how}: compared is what converter {CONVERTER_VERSION} makes of the bytes of both.{same}"
    return Texts(old_text, new_text, [*texts.notes, note, *again.notes])


def _is_removal(version: VersionRow) -> bool:
    return version.change_type == "deleted"


def _removal(version: VersionRow) -> str:
    return f"Version {version.seq} is the page's removal: it has no text."


def _kept(store: Store, version: VersionRow) -> str:
    if _is_removal(version):
        return ""
    try:
        return store.get_object(version.body_object).decode("utf-8", "replace")
    except FileNotFoundError:
        raise StagingError(
            f"{store.location}: the text of version {version.seq}, object {version.body_object}, is not there. Objects "
            "are never pruned: restore it from a backup, or name the right staging area with RORI_STAGING."
        ) from None


class _Again:
    """Converts what was received once more, as it is converted now."""

    def __init__(self, places: Places, ledger: Ledger, store: Store, pages: Mapping[int, PageRow]) -> None:
        self._ledger = ledger
        self._store = store
        self._pages = pages
        self.notes: list[str] = []
        self._options = self._of_source(places)

    def _of_source(self, places: Places) -> Options:
        source_id = next(iter(self._pages.values())).source_id
        try:
            return options_of(read_in_force(places, self._ledger).source(source_id))
        except (RoriError, KeyError):
            self.notes.append(f"{source_id!r} is not in force: its own selectors, if any, were not applied.")
            return Options()

    def text(self, version: VersionRow, kept: str) -> str:
        """The version's markdown by the present converter; *kept* if that wrote it."""
        if version.converter_version == CONVERTER_VERSION:
            return kept
        raw = self._store.get_object(version.raw_object)
        with self._ledger.connect() as conn:
            url, content_type = _answer(conn, self._pages[version.page_id], version)
        body, content_type = restore(version.tier, raw, content_type, url)
        # A PDF is read by a library in C, which may end its process.
        size = max(len(body), IN_PLACE_BYTES + 1) if body.startswith(b"%PDF") else len(body)
        pool = WorkPool(workers=1)
        try:
            made = asyncio.run(pool.run(size, digest, body, url=url, content_type=content_type, options=self._options))
        finally:
            pool.close()
        return clean(made.markdown)


def _answer(conn: Connection, page: PageRow, version: VersionRow) -> tuple[str, str | None]:
    """The final URL and the content type with which the version's bytes came, as the audit has them."""
    row = conn.execute(
        select(audit.c.final_url, audit.c.response_headers)
        .where(audit.c.run_id == version.run_id, audit.c.url_hash == page.url_hash, audit.c.kind == "page")
        .order_by(audit.c.seq.desc())
        .limit(1)
    ).one_or_none()
    if row is None:
        return page.url, None
    headers = {name.lower(): value for name, value in (row.response_headers or {}).items()}
    value = headers.get("content-type")
    return row.final_url or page.url, value[0] if isinstance(value, list) and value else value or None
