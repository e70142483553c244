"""The order in which changed pages reach the staging area and the ledger. Each step can be repeated.

Pages that are ready at about the same time go through a step together: one transaction for all, files flushed together.

====  =======================================================  =================================================
step  what                                                     a crash after it leaves
====  =======================================================  =================================================
1     transaction A: ``reserve_envelopes`` (path, file hash,   a reservation without a file: dropped
      links)
2     ``write_envelopes``: objects, then the files             a reservation with its file: adopted
3     transaction B: staged, version, page, final              a staged envelope that the index lacks: its line
      state, discovered links, audit                           is appended
4     the index line, ``store.index.append``                   a line whose row is not marked: marked
5     ``mark_indexed``, in batches                             nothing
====  =======================================================  =================================================

Step 1 does not ask the store, which may hang while the ledger is locked: a file that the ledger does not know is met in
step 2, and the page is reserved anew under another name.

A line of the error log is written in the same way: transaction B notes that it is due, until it is on the disk.

An ingestion side that follows the index never sees what transaction B did not record. ``recover`` runs before a job's
first request, and again after it holds its leases; ``verify`` checks everything against everything.

Functions that take a connection work in their caller's transaction, which has checked the lease's epoch.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from typing import Any

from sqlalchemy import Connection, RowMapping, bindparam, delete, select, update

from rori_spiders.envelope import Envelope, FileOwner, choose_envelope_path, render_envelope, render_index_line
from rori_spiders.envelope.log_lines import parse_wire_time
from rori_spiders.exceptions import LeaseLost, StagingError
from rori_spiders.ledger.audit.fact_log import note_rows
from rori_spiders.ledger.audit.facts import FACT_KINDS
from rori_spiders.ledger.database import Ledger
from rori_spiders.ledger.dialects import insert_rows
from rori_spiders.ledger.pages import page_history
from rori_spiders.ledger.tables import envelopes
from rori_spiders.staging.store import LogLine, Store
from rori_spiders.urls.canonical import url_hash

#: Rows marked in one transaction, far shorter than another writer's timeout.
BATCH_SIZE = 500


_FACT_NAMES = tuple(FACT_KINDS["envelope"].query.selected_columns.keys())


@dataclass(slots=True)
class PageToStage:
    """A page whose envelope is to be staged.

    *raw* are the bytes as received; *links* the URLs in scope that the page names: kept with the reservation, so that a
    page adopted after a crash still leads on (the walker that resumes the run reads the kept links of captured pages).
    *taken* are paths where files stand that the ledger does not know.
    """

    envelope: Envelope
    raw: bytes | None
    links: Sequence[str] = ()
    taken: list[str] = field(default_factory=list)
    screenshot: bytes | None = None  # of the page
    data: bytes = field(init=False)  # the file
    file_hash: str = field(init=False)

    def __post_init__(self) -> None:
        """Render the file: once, and before any transaction that would wait for it."""
        self.data = render_envelope(self.envelope)
        self.file_hash = sha256(self.data).hexdigest()


@dataclass(frozen=True, slots=True)
class Reservation:
    """An envelope whose name is reserved in the ledger, before its file is written."""

    envelope_id: str
    path: str
    data: bytes  # the file
    raw: bytes | None  # the bytes as received, kept as an object
    body: bytes  # content.body, kept as an object
    screenshot: bytes | None  # kept as an object
    objects: tuple[str, ...]  # the hashes of *raw*, *body* and *screenshot*, where there are any, as in the envelope
    index_line: str
    #: Path and hash of the file of an earlier try at this page in this run, never indexed.
    replaces: tuple[str, str] | None = None


def reserve_envelopes(conn: Connection, pages: Sequence[PageToStage], *, now: datetime) -> list[Reservation]:
    """Step 1, transaction A: reserve a path for each page, and record what will be written there.

    The store is not asked here: one that hangs would hold the ledger's lock. An earlier try of the same run that was
    never staged is replaced. At most some hundreds at once. Raises StagingError when a run has staged a page already.
    """
    replaced = _delete_earlier_attempts(conn, pages)
    _keep_links(conn, pages, now)
    reservations, rows, paths = [], [], dict[str, str]()
    for page in pages:
        envelope = page.envelope
        path = _free_path(conn, page, paths)
        paths[path] = envelope.source.url
        line = render_index_line(envelope, path=path, staged_at=now)
        rows.append(_reserved_row(page, path, line, now))
        integrity = envelope.integrity
        hashes = (integrity.raw_hash, integrity.content_hash, integrity.screenshot_hash)
        reservations.append(
            Reservation(
                envelope_id=envelope.envelope_id,
                path=path,
                data=page.data,
                raw=page.raw,
                body=envelope.content.body.encode(),
                screenshot=page.screenshot,
                objects=tuple(bare_hash(digest) for digest in hashes if digest),
                index_line=line,
                replaces=replaced.get(_key_of(envelope)),
            )
        )
    insert_rows(conn, envelopes, rows)
    return reservations


def _reserved_row(page: PageToStage, path: str, line: str, now: datetime) -> dict[str, Any]:
    envelope = page.envelope
    return {
        "envelope_id": envelope.envelope_id,
        "run_id": envelope.audit.scrape_run_id,
        "source_id": envelope.source.manifest_id,
        "url": envelope.source.url,
        "url_hash": url_hash(envelope.source.url),
        "state": "reserved",
        "path": path,
        "file_hash": page.file_hash,
        "index_line": line,
        "content_hash": bare_hash(envelope.integrity.content_hash),
        "change_type": envelope.integrity.change_type,
        "reserved_at": now,
        "newest": False,
    }


def write_envelopes(store: Store, reservations: Sequence[Reservation]) -> set[str]:
    """Step 2: the objects (the bytes as received, and the bodies), then the files. Can be repeated.

    Gives the paths where files of others stand. Raises StagingError when the store cannot be written;
    ``abandon_reservation`` then takes a reservation back.
    """
    objects = [data for one in reservations for data in (one.raw, one.body, one.screenshot) if data is not None]
    named = [digest for one in reservations for digest in one.objects]
    if store.put_objects(objects) != named:
        raise ValueError("the bytes do not match their envelopes")
    for one in reservations:
        if one.replaces is not None and read_reserved_file(store, *one.replaces) is not None:
            store.remove(one.replaces[0])
    return store.write_envelopes({one.path: one.data for one in reservations})


def reserve_and_write(
    store: Store,
    pages: Sequence[PageToStage],
    reserve: Callable[[Sequence[PageToStage]], list[Reservation]],
) -> list[Reservation]:
    """Steps 1 and 2. Pages for whose names there are files unknown to the ledger are reserved under other names.

    *reserve* does transaction A. Raises as ``write_envelopes``, and StagingError for a page that finds no name.
    """
    written: list[Reservation] = []
    while pages:
        reservations = reserve(pages)
        refused = write_envelopes(store, reservations)
        again = []
        for page, reservation in zip(pages, reservations, strict=True):
            if reservation.path not in refused:
                written.append(reservation)
                continue
            if reservation.path in page.taken:
                raise StagingError(
                    f"{reservation.path} exists in {store.location} with other contents. To find its origin, run: "
                    "scrapy verify"
                )
            page.taken.append(reservation.path)
            again.append(page)
        pages = again
    return written


def check_reserved(conn: Connection, store: Store, reservations: Sequence[Reservation]) -> None:
    """After step 2, in a writing transaction: check that the reservations are still ours and match the written files.

    Else another job took this one for dead, since it was suspended: the files go of which it has taken the reservation
    back, and LeaseLost is raised.
    """
    try:
        _find_reservations(conn, [one.envelope_id for one in reservations])
    except LeaseLost:
        paths = [one.path for one in reservations]
        known = set(conn.execute(select(envelopes.c.path).where(envelopes.c.path.in_(paths))).scalars())
        for path in paths:
            if path not in known:
                store.remove(path)
        raise


def _find_reservations(conn: Connection, envelope_ids: Collection[str]) -> Sequence[RowMapping]:
    query = select(envelopes).where(envelopes.c.envelope_id.in_(envelope_ids)).with_for_update()
    rows = conn.execute(query).mappings().all()
    found = {row["envelope_id"]: row["state"] for row in rows}
    for one in envelope_ids:
        if found.get(one) != "reserved":
            became = "recorded it" if one in found else "taken it back"
            raise LeaseLost(f"writing a page took too long, and another job has {became}; this job stops writing it")
    return rows


def mark_staged(conn: Connection, envelope_id: str, *, now: datetime) -> None:
    """As ``mark_envelopes_staged``, for one."""
    mark_envelopes_staged(conn, {envelope_id: now})


def mark_envelopes_staged(conn: Connection, staged: Mapping[str, datetime]) -> None:
    """Step 3, part of transaction B: mark the files as written then, each as the newest of its page.

    At most some hundreds at once. Raises LeaseLost when one is no longer reserved: this job was suspended, and
    taken for dead.
    """
    if not staged:
        return
    rows = _find_reservations(conn, staged)
    same_page = (envelopes.c.source_id == bindparam("of_source")) & (envelopes.c.url_hash == bindparam("of_url"))
    conn.execute(
        update(envelopes).where(same_page, envelopes.c.newest).values(newest=False),
        [{"of_source": row["source_id"], "of_url": row["url_hash"]} for row in rows],
    )
    conn.execute(
        update(envelopes).where(envelopes.c.envelope_id == bindparam("of_id")),
        [{"of_id": of, "state": "staged", "staged_at": now, "newest": True} for of, now in staged.items()],
    )
    made = ({**row, "staged_at": staged[row["envelope_id"]]} for row in rows)
    note_rows(conn, "envelope", ({name: row[name] for name in _FACT_NAMES} for row in made))


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


def _key_of(envelope: Envelope) -> tuple[str, str]:
    return envelope.audit.scrape_run_id, url_hash(envelope.source.url)


def _delete_earlier_attempts(conn: Connection, pages: Sequence[PageToStage]) -> dict[tuple[str, str], tuple[str, str]]:
    """Path and hash of the file of each earlier try, by run and hash of the URL; their reservations are removed."""
    keys = [_key_of(page.envelope) for page in pages]
    columns = (envelopes.c[name] for name in ("envelope_id", "run_id", "url_hash", "state", "path", "file_hash", "url"))
    query = select(*columns).where(
        envelopes.c.run_id.in_({run_id for run_id, _ in keys}), envelopes.c.url_hash.in_({url for _, url in keys})
    )
    earlier = {(row.run_id, row.url_hash): row for row in conn.execute(query)}
    found = [earlier[key] for key in keys if key in earlier]
    for row in found:
        if row.state != "reserved":
            raise StagingError(f"{row.url} was already staged in this run as {row.path}.")
    if found:
        conn.execute(delete(envelopes).where(envelopes.c.envelope_id.in_([row.envelope_id for row in found])))
    return {(row.run_id, row.url_hash): (row.path, row.file_hash) for row in found}


def _keep_links(conn: Connection, pages: Sequence[PageToStage], now: datetime) -> None:
    links: dict[int, Sequence[str]] = {}
    for source_id in {page.envelope.source.manifest_id for page in pages}:
        linking = {
            page.envelope.source.url: page.links for page in pages if page.envelope.source.manifest_id == source_id
        }
        known = page_history.ensure_pages(conn, source_id, dict.fromkeys(linking, now))
        links |= {known[url].page_id: of_page for url, of_page in linking.items()}
    page_history.set_links(conn, links)


_URL_OF_PATH = select(envelopes.c.url).where(envelopes.c.path == bindparam("path"))


def _free_path(conn: Connection, page: PageToStage, chosen: Mapping[str, str]) -> str:
    envelope = page.envelope

    def taken(path: str) -> FileOwner | None:
        url = chosen.get(path) or conn.execute(_URL_OF_PATH, {"path": path}).scalar()
        if url is not None:
            return FileOwner(url)
        return FileOwner("") if path in page.taken else None

    return choose_envelope_path(
        envelope.source.domain,
        parse_wire_time(envelope.scrape.timestamp),
        envelope.source.manifest_id,
        envelope.source.url,
        envelope.integrity.content_hash,
        envelope_id=envelope.envelope_id,
        taken=taken,
    )
