"""The steps that write one changed page to store and ledger. ``steps.py`` documents their order.

Functions that take a connection work in their caller's transaction, which has checked the lease's epoch.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from sqlalchemy import delete, insert, select, update

from rori_spiders.envelope import FileOwner, choose_envelope_path, render_envelope, render_index_line
from rori_spiders.envelope.log_lines import parse_wire_time
from rori_spiders.exceptions import LeaseLost, StagingError
from rori_spiders.ledger.pages import page_history
from rori_spiders.ledger.tables import envelopes
from rori_spiders.staging.store import LogLine
from rori_spiders.urls.canonical import url_hash

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from datetime import datetime

    from sqlalchemy import Connection, Row

    from rori_spiders.envelope import Envelope
    from rori_spiders.ledger.database import Ledger
    from rori_spiders.staging.store import Store

#: Rows marked in one transaction, far shorter than another writer's timeout.
BATCH_SIZE = 500


@dataclass(frozen=True, slots=True)
class Reservation:
    """An envelope whose name is reserved in the ledger, before its file is written."""

    envelope_id: str
    path: str
    data: bytes  # the file
    body: bytes  # content.body, kept as an object
    raw_hash: str | None
    index_line: str
    #: Path and hash of the file of an earlier try at this page in this run, never indexed.
    replaces: tuple[str, str] | None = None


def reserve_envelope(
    conn: Connection,
    envelope: Envelope,
    *,
    links: Sequence[str],
    now: datetime,
    taken: Collection[str] = (),
) -> Reservation:
    """Step 1, transaction A: reserve a path for *envelope*, and record what will be written there.

    *links* are the URLs in scope that the page names: kept now, so that a page adopted after a crash still leads on
    (the walker that resumes the run reads the kept links of captured pages).
    *taken* are paths where files stand that the ledger does not know. The store is not asked here: one that hangs would
    hold the ledger's lock. An earlier try of the same run that was never staged is replaced.
    Raises StagingError when this run has staged the page already.
    """
    replaces = _delete_earlier_attempt(conn, envelope)
    path = _free_path(conn, envelope, taken)
    source, url = envelope.source.manifest_id, envelope.source.url
    page_history.set_links(conn, {page_history.ensure_page(conn, source, url, now=now).page_id: links})
    data = render_envelope(envelope)
    line = render_index_line(envelope, path=path, staged_at=now)
    conn.execute(
        insert(envelopes).values(
            envelope_id=envelope.envelope_id,
            run_id=envelope.audit.scrape_run_id,
            source_id=source,
            url=url,
            url_hash=url_hash(url),
            state="reserved",
            path=path,
            file_hash=sha256(data).hexdigest(),
            index_line=line,
            content_hash=bare_hash(envelope.integrity.content_hash),
            change_type=envelope.integrity.change_type,
            reserved_at=now,
            newest=False,
        )
    )
    raw_hash = envelope.integrity.raw_hash
    return Reservation(
        envelope_id=envelope.envelope_id,
        path=path,
        data=data,
        body=envelope.content.body.encode(),
        raw_hash=bare_hash(raw_hash) if raw_hash else None,
        index_line=line,
        replaces=replaces,
    )


def write_envelope(store: Store, reservation: Reservation, *, raw: bytes | None) -> None:
    """Step 2: the objects (*raw*, the bytes as received, and the body), then the file. Can be repeated.

    Raises StagingError when the store cannot be written; ``abandon`` then takes the reservation back. FileExistsError
    when another's file has the name.
    """
    if (raw is None) != (reservation.raw_hash is None) or (
        raw is not None and sha256(raw).hexdigest() != reservation.raw_hash
    ):
        raise ValueError(f"{reservation.path}: the raw bytes do not match the envelope")
    if raw is not None:
        store.put_object(raw)
    store.put_object(reservation.body)
    if reservation.replaces is not None and read_reserved_file(store, *reservation.replaces) is not None:
        store.remove(reservation.replaces[0])
    store.write_envelope(reservation.path, reservation.data)


def reserve_and_write(
    store: Store, reserve_without: Callable[[Collection[str]], Reservation], *, raw: bytes | None
) -> Reservation:
    """Steps 1 and 2. If a file unknown to the ledger has the name, another name is reserved.

    *reserve_without* does transaction A, with the paths that turned out to be taken. Raises as ``write``.
    """
    taken: list[str] = []
    while True:
        reservation = reserve_without(taken)
        try:
            write_envelope(store, reservation, raw=raw)
        except FileExistsError as error:
            if reservation.path in taken:
                raise StagingError(f"{error}. To find its origin, run: scrapy verify") from error
            taken.append(reservation.path)
        else:
            return reservation


def check_reserved(conn: Connection, store: Store, reservation: Reservation) -> None:
    """After step 2, in a writing transaction: check that the reservation is still ours and matches the written file.

    Else another job took this one for dead, since it was suspended: the file goes, and LeaseLost is raised.
    """
    try:
        _find_reservation(conn, reservation.envelope_id)
    except LeaseLost:
        row = conn.execute(select(envelopes.c.path).where(envelopes.c.path == reservation.path)).one_or_none()
        if row is None:
            store.remove(reservation.path)
        raise


def _find_reservation(conn: Connection, envelope_id: str) -> Row[Any]:
    row = conn.execute(select(envelopes).where(envelopes.c.envelope_id == envelope_id).with_for_update()).one_or_none()
    if row is not None and row.state == "reserved":
        return row
    became = "taken it back" if row is None else "recorded it"
    raise LeaseLost(f"a page was being written for too long: another job has {became}; this job stops writing for it")


def mark_staged(conn: Connection, envelope_id: str, *, now: datetime) -> None:
    """Step 3, part of transaction B: mark the file as written, and as the newest of its page.

    Raises LeaseLost when it is no reservation any more: this job was suspended, and taken for dead.
    """
    row = _find_reservation(conn, envelope_id)
    same_page = (envelopes.c.source_id == row.source_id) & (envelopes.c.url_hash == row.url_hash)
    conn.execute(update(envelopes).where(same_page, envelopes.c.newest).values(newest=False))
    conn.execute(
        update(envelopes)
        .where(envelopes.c.envelope_id == envelope_id)
        .values(state="staged", staged_at=now, newest=True)
    )


def index_envelopes(ledger: Ledger, store: Store, envelope_ids: Sequence[str]) -> None:
    """Steps 4 and 5 for several envelopes: append their index lines, then mark them."""
    columns = (envelopes.c.envelope_id, envelopes.c.run_id, envelopes.c.index_line)
    due = select(*columns).where(envelopes.c.envelope_id.in_(envelope_ids), envelopes.c.state == "staged")
    rows = ledger.read(lambda conn: conn.execute(due).all())
    lines = {row.envelope_id: LogLine(row.run_id, row.index_line) for row in rows}
    staged = [envelope_id for envelope_id in envelope_ids if envelope_id in lines]
    store.index.append([lines[envelope_id] for envelope_id in staged])
    ledger.write(lambda conn: mark_indexed(conn, staged))


def mark_indexed(conn: Connection, envelope_ids: Sequence[str]) -> None:
    """Step 5: mark that the index lines of these envelopes are on disk."""
    for start in range(0, len(envelope_ids), BATCH_SIZE):
        batch = envelopes.c.envelope_id.in_(envelope_ids[start : start + BATCH_SIZE])
        conn.execute(update(envelopes).where(batch, envelopes.c.state == "staged").values(state="indexed"))


def abandon_reservation(conn: Connection, store: Store, envelope_id: str) -> str | None:
    """Undo a reservation: remove its file, if it is the reserved one, then its row. Return its path.

    None, and nothing is removed, when it is not (or no longer) a reservation.
    """
    row = conn.execute(select(envelopes).where(envelopes.c.envelope_id == envelope_id).with_for_update()).one_or_none()
    if row is None or row.state != "reserved":
        return None
    if read_reserved_file(store, row.path, row.file_hash) is not None:
        store.remove(row.path)
    conn.execute(delete(envelopes).where(envelopes.c.envelope_id == envelope_id))
    return str(row.path)


def read_reserved_file(store: Store, path: str, file_hash: str) -> bytes | None:
    """Return the file of a reservation; None when it is missing or has other contents."""
    try:
        data = store.read(path)
    except FileNotFoundError:
        return None
    return data if sha256(data).hexdigest() == file_hash else None


def bare_hash(digest: str) -> str:
    """Return the hash without its algorithm prefix, as stored in the ledger."""
    return digest.removeprefix("sha256:")


def _delete_earlier_attempt(conn: Connection, envelope: Envelope) -> tuple[str, str] | None:
    of_url = (envelopes.c.run_id == envelope.audit.scrape_run_id) & (
        envelopes.c.url_hash == url_hash(envelope.source.url)
    )
    earlier = conn.execute(select(envelopes).where(of_url)).one_or_none()
    if earlier is None:
        return None
    if earlier.state != "reserved":
        raise StagingError(f"{envelope.source.url} was already staged in this run as {earlier.path}.")
    conn.execute(delete(envelopes).where(of_url))
    return earlier.path, earlier.file_hash


def _free_path(conn: Connection, envelope: Envelope, without: Collection[str]) -> str:
    def taken(path: str) -> FileOwner | None:
        url = conn.execute(select(envelopes.c.url).where(envelopes.c.path == path)).scalar()
        if url is not None:
            return FileOwner(url)
        return FileOwner("") if path in without else None

    return choose_envelope_path(
        envelope.source.domain,
        parse_wire_time(envelope.scrape.timestamp),
        envelope.source.manifest_id,
        envelope.source.url,
        envelope.integrity.content_hash,
        envelope_id=envelope.envelope_id,
        taken=taken,
    )
