"""The texts of two versions, like with like: what an older converter wrote is written anew from the bytes it read."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rori_spiders.content import CONVERTER_VERSION
from rori_spiders.content.convert import Options, digest
from rori_spiders.conversion import options_of
from rori_spiders.envelope import clean
from rori_spiders.exceptions import ConversionError, RoriError, StagingError
from rori_spiders.ladder import restore
from rori_spiders.ledger import answers
from rori_spiders.pool import IN_PLACE_BYTES, WorkPool

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rori_spiders.ledger.database import Ledger
    from rori_spiders.ledger.history import PageRow, VersionRow
    from rori_spiders.manifest.catalog import Catalog
    from rori_spiders.stores.base import Store


@dataclass
class Texts:
    """The markdown of two versions, and what must be known to read their difference."""

    old: str
    new: str
    notes: list[str] = field(default_factory=list)


class TextMissing(StagingError):
    """Raised where the text of a version is not in the staging area."""

    def __init__(self, store: Store, version: VersionRow) -> None:
        super().__init__(
            f"{store.location}: the text of version {version.seq}, object {version.body_object}, is not there. Objects "
            "are never pruned: restore it from a backup, or name the right staging area with RORI_STAGING."
        )
        self.version = version


@dataclass(frozen=True)
class Shelf:
    """Where texts are read from. *catalog* gives what is in force; it is only asked where a text is made anew."""

    ledger: Ledger
    store: Store
    catalog: Callable[[], Catalog]


def read_texts(shelf: Shelf, pages: Mapping[int, PageRow], old: VersionRow, new: VersionRow) -> Texts:
    """The texts to compare; *pages* by their number. TextMissing when one is not in the staging area any more."""
    store = shelf.store
    texts = Texts(kept(store, old), kept(store, new), [_removal(one) for one in (old, new) if is_removal(one)])
    if old.tier != new.tier and not texts.notes:
        texts.notes.append(
            f"Version {old.seq} came by {old.tier}, version {new.seq} by {new.tier}: they may show it differently."
        )
    if old.converter_version == new.converter_version or is_removal(old) or is_removal(new):
        return texts
    how = f"Version {old.seq} is of converter {old.converter_version}, version {new.seq} of {new.converter_version}"
    try:
        again = _Again(shelf, pages)
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


def is_removal(version: VersionRow) -> bool:
    return version.change_type == "deleted"


def _removal(version: VersionRow) -> str:
    return f"Version {version.seq} is the page's removal: it has no text."


def kept(store: Store, version: VersionRow) -> str:
    """The version's text as it was staged; "" of a removal. Raises TextMissing."""
    if is_removal(version):
        return ""
    try:
        return store.get_object(version.body_object).decode("utf-8", "replace")
    except FileNotFoundError:
        raise TextMissing(store, version) from None


class _Again:
    """Converts what was received once more, as it is converted now."""

    def __init__(self, shelf: Shelf, pages: Mapping[int, PageRow]) -> None:
        self._shelf = shelf
        self._pages = pages
        self.notes: list[str] = []
        self._options = self._of_source()

    def _of_source(self) -> Options:
        source_id = next(iter(self._pages.values())).source_id
        try:
            return options_of(self._shelf.catalog().source(source_id))
        except (RoriError, KeyError):
            self.notes.append(f"{source_id!r} is not in force: its own selectors, if any, were not applied.")
            return Options()

    def text(self, version: VersionRow, kept: str) -> str:
        """The version's markdown by the present converter; *kept* if that wrote it."""
        if version.converter_version == CONVERTER_VERSION:
            return kept
        raw = self._shelf.store.get_object(version.raw_object)
        page = self._pages[version.page_id]
        with self._shelf.ledger.connect() as conn:
            came = answers.of_version(conn, version.run_id, page.url_hash)
        url = (came and came.final_url) or page.url
        body, content_type = restore(version.tier, raw, came.content_type if came else None, url)
        # A PDF is read by a library in C, which may end its process.
        size = max(len(body), IN_PLACE_BYTES + 1) if body.startswith(b"%PDF") else len(body)
        pool = WorkPool(workers=1)
        try:
            made = asyncio.run(pool.run(size, digest, body, url=url, content_type=content_type, options=self._options))
        finally:
            pool.close()
        return clean(made.markdown)
