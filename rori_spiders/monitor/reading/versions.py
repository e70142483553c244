"""Versions of a page as the API gives them, and what the staging area still has of them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select

from rori_spiders.comparison.texts import TextMissing, is_removal, kept
from rori_spiders.content.citations import of_page
from rori_spiders.exceptions import DamagedObject
from rori_spiders.ledger import answers, history, lineage
from rori_spiders.ledger.tables import audit, envelopes
from rori_spiders.ledger.tables import versions as table
from rori_spiders.monitor.answers.versions import Cited, Kept, SectionHashOf, Version, VersionRow
from rori_spiders.monitor.errors import Refused

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from sqlalchemy import Connection, Row

    from rori_spiders.ledger.history import PageRow
    from rori_spiders.ledger.history import VersionRow as Held
    from rori_spiders.stores.base import Store

#: More than a person looks through; the envelope has all.
_MOST_CITATIONS = 500


@dataclass(frozen=True)
class Found:
    """A version, with the page's addresses (that of now first) and all its versions under them, newest first."""

    version: Held
    addresses: list[PageRow]
    versions: list[Held]
    envelope: Row[Any] | None

    @property
    def page(self) -> PageRow:
        return next(one for one in self.addresses if one.page_id == self.version.page_id)


def row(version: Held, page: PageRow) -> VersionRow:
    """One line of a page's history."""
    return VersionRow(**_row(version, page))


def _row(version: Held, page: PageRow) -> dict[str, Any]:
    names = ("captured_at", "change_type", "title", "published", "effective", "publisher_version", "tier")
    return {
        **{name: getattr(version, name) for name in (*names, "converter_version", "run_id", "page_id")},
        "version_id": version.version_id,
        "url": page.url,
        "version": version.seq,
        "content_hash": f"sha256:{version.content_hash}",
    }


def find(conn: Connection, page: PageRow, seq: int) -> Found:
    """The version of this number at this address. Refused where there is none."""
    own = next((one for one in history.all_versions(conn, page.page_id) if one.seq == seq), None)
    if own is None:
        raise Refused(404, "unknown_version", f"The page {page.page_id} has no version {seq}.")
    addresses = lineage.addresses(conn, page)
    all_versions = lineage.all_versions(conn, addresses)
    same = (envelopes.c.run_id == own.run_id) & (envelopes.c.url_hash == page.url_hash)
    return Found(own, addresses, all_versions, conn.execute(select(envelopes).where(same)).one_or_none())


def detail(conn: Connection, store: Store, found: Found) -> Version:
    """The version, with what the staging area has of it."""
    one, page = found.version, found.page
    came = answers.of_version(conn, one.run_id, page.url_hash)
    text, state = text_of(store, one)
    cited = list(_cited(text, (came and came.final_url) or page.url, one.title)) if text else []
    after, before = _beside(found)
    return Version(
        **_row(one, page),
        source_id=page.source_id,
        is_newest=found.versions[0] == one,
        version_before=before and before.version_id,
        version_after=after and after.version_id,
        replaced_at=after and after.captured_at,
        last_confirmed_at=_confirmed(conn, one, page),
        html_hash=one.html_hash and f"sha256:{one.html_hash}",
        final_url=came and came.final_url,
        audit_id=came and came.audit_id,
        sections=[SectionHashOf(path=path, hash=f"sha256:{digest}") for path, digest in one.section_hashes],
        citations=cited[:_MOST_CITATIONS],
        citations_in_all=len(cited),
        chars=None if text is None else len(text),
        text=state,
        raw=raw_state(store, one, came.content_type if came else None),
        envelope=envelope_state(store, found.envelope),
    )


def _beside(found: Found) -> tuple[Held | None, Held | None]:
    """The versions after and before this one; none of one that is not in the page's line (its removal elsewhere)."""
    if found.version not in found.versions:
        return None, None
    at = found.versions.index(found.version)
    after = found.versions[at - 1] if at else None
    return after, found.versions[at + 1] if at + 1 < len(found.versions) else None


def text_of(store: Store, one: Held) -> tuple[str | None, Kept]:
    """The version's markdown, and whether it is there; None where it is not."""
    if is_removal(one):
        return None, Kept(state="none", why="This version is the page's removal: it has no text.")
    try:
        text = kept(store, one)
    except (TextMissing, DamagedObject) as error:
        return None, Kept(state="missing", why=str(error))
    return text, Kept(state="kept", bytes=len(text.encode("utf-8", "replace")), content_type="text/markdown")


def raw_state(store: Store, one: Held, content_type: str | None) -> Kept:
    """Whether the bytes that were received are there."""
    if is_removal(one):
        return Kept(state="none", why="This version is the page's removal: nothing was received.")
    if store.has_object(one.raw_object):
        return Kept(state="kept", content_type=content_type)
    return Kept(
        state="missing", content_type=content_type, why=f"The object {one.raw_object} is not in {store.location}."
    )


def envelope_state(store: Store, envelope: Row[Any] | None) -> Kept:
    """Whether the version's envelope is there."""
    if envelope is None:
        return Kept(state="none", why="No envelope was made of this version.")
    if envelope.state in {"pruning", "pruned"}:
        at = f" at {envelope.pruned_at:%Y-%m-%d %H:%M} UTC" if envelope.pruned_at else ""
        return Kept(
            state="pruned", path=envelope.path, why=f"It was confirmed, and removed{at} when its time was over."
        )
    if store.exists(envelope.path):
        return Kept(state="kept", path=envelope.path, content_type="application/json")
    return Kept(state="missing", path=envelope.path, why=f"The file is not in {store.location}.")


def _confirmed(conn: Connection, one: Held, page: PageRow) -> datetime | None:
    """When an answer last had this text, before another one came."""
    later = select(table.c.captured_at).where(table.c.page_id == one.page_id, table.c.seq == one.seq + 1)
    until = conn.execute(later).scalar()
    query = select(func.max(audit.c.timestamp)).where(
        audit.c.url_hash == page.url_hash,
        audit.c.manifest_id == page.source_id,
        audit.c.content_hash == one.content_hash,
        audit.c.timestamp >= one.captured_at,
    )
    found: datetime | None = conn.execute(query if until is None else query.where(audit.c.timestamp < until)).scalar()
    return found


def _cited(text: str, url: str, title: str | None) -> Iterable[Cited]:
    """Each citation once, with how often it stands in the text."""
    first: dict[str, tuple[str, str, str | None]] = {}
    times: dict[str, int] = {}
    for one in of_page(text, url=url, title=title):
        first.setdefault(one.canonical, (text[one.start : one.end], one.kind, one.target))
        times[one.canonical] = times.get(one.canonical, 0) + 1
    for canonical, (said, kind, target) in first.items():
        yield Cited(text=said, kind=kind, canonical=canonical, target=target, times=times[canonical])


def known_still(found: Found) -> dict[str, Any]:
    """What the ledger knows of a version whose bytes are not to be had."""
    version, envelope = row(found.version, found.page), found.envelope
    told: dict[str, Any] = {"version": json.loads(version.model_dump_json())}
    if envelope is not None:
        told["envelope"] = {"path": envelope.path, "state": envelope.state, "file_hash": f"sha256:{envelope.file_hash}"}
        told["envelope"] |= {"pruned_at": envelope.pruned_at and envelope.pruned_at.isoformat().replace("+00:00", "Z")}
    return told


def two(
    conn: Connection, page: PageRow, older: tuple[int, int] | None, newer: tuple[int, int] | None
) -> tuple[Held, Held, list[PageRow]]:
    """The versions to compare, and the page's addresses: by default the newest one, and the one before it."""
    addresses = lineage.addresses(conn, page)
    held = lineage.all_versions(conn, addresses)
    by_id = {(one.page_id, one.seq): one for one in held}
    if not held:
        raise Refused(404, "unknown_version", "Nothing was ever held of this page: it has no versions.")
    for one in (older, newer):
        if one is not None and one not in by_id:
            raise Refused(404, "unknown_version", f"This page has no version {one[0]}-{one[1]}.")
    new = held[0] if newer is None else by_id[newer]
    if older is not None:
        return by_id[older], new, addresses
    at = held.index(new) + 1
    if at == len(held):
        raise Refused(404, "unknown_version", "There is no version before this one to compare it with.")
    return held[at], new, addresses
