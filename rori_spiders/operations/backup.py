"""Back up the ledger with the staged files that it names, while jobs write; restore it, checked, beside nothing else.

::

    {folder}/backup.json      what it is of, and what was counted: written last, a folder without it is not a backup
    {folder}/ledger.db        SQLite; ledger.dump of PostgreSQL, for pg_restore
    {folder}/staged/          a staging area, unless only the ledger was wanted

A job appends a line after its row, and a row after its objects and files. So the lines and summaries are copied before
the ledger, and the objects and envelopes after it: the copy of the ledger knows every line, and every file that it
names is there. What a job was writing at that moment, a recovery finishes or takes back, as after a crash.
"""

from __future__ import annotations

import hashlib
import os
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, ValidationError
from sqlalchemy import select

from rori_spiders import BUILD
from rori_spiders.exceptions import ActionRefused, LedgerError, StagingError
from rori_spiders.ledger import upgrades
from rori_spiders.ledger.database import open_ledger
from rori_spiders.ledger.database_url import DatabaseLocation, parse_database_url
from rori_spiders.ledger.operations import snapshots
from rori_spiders.ledger.queue import leases
from rori_spiders.ledger.tables import envelopes
from rori_spiders.staging import transfer
from rori_spiders.staging.recovery import find_live_jobs
from rori_spiders.staging.store_factory import DiskStore
from rori_spiders.staging.verification.verify import VerificationReport, verify_staging

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime

    from sqlalchemy import Connection

    from rori_spiders.ledger.database import Ledger
    from rori_spiders.staging.store import Store
    from rori_spiders.staging.transfer import CopyResult

    Report = Callable[[str], None]

DESCRIPTION, STAGED = "backup.json", "staged"
_LEDGER_FILES = {"sqlite": "ledger.db", "postgresql": "ledger.dump"}
_WAL_FILES = ("-wal", "-shm")


class BackupDescription(BaseModel):
    """What stands in ``backup.json``."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    format: Literal[1] = 1
    made_at: AwareDatetime
    build: str
    database: Literal["sqlite", "postgresql"]
    #: Version of the ledger.
    revision: str | None
    ledger_sha256: str
    ledger_bytes: int
    #: Of each table; the monitor's sessions are left out.
    rows: dict[str, int]
    #: Whether the staged files are in it.
    staged: bool


@dataclass(frozen=True, slots=True)
class BackupResult:
    """A finished backup; *report* is of its own verification, where there was one."""

    description: BackupDescription
    copied: tuple[CopyResult, ...]
    report: VerificationReport | None


def make_backup(
    place: DatabaseLocation, store: Store | None, folder: Path, *, now: datetime, report: Report
) -> BackupResult:
    """Write a backup of the ledger at *place* and of *store* (None: of the ledger only) to *folder*, new or empty.

    Raises ActionRefused for a folder with something in it, LedgerError and StagingError.
    """
    _prepare_folder(folder)
    database: Literal["sqlite", "postgresql"] = "sqlite" if place.is_sqlite else "postgresql"
    path = folder / _LEDGER_FILES[database]
    target = DiskStore(folder / STAGED) if store is not None else None
    copied: list[CopyResult] = []
    with snapshots.open_any_version(place) as ledger:
        if store is not None and target is not None:
            report("summaries and lines")
            target.check_writable()
            copied += [transfer.copy_summaries(store, target), *transfer.copy_lines(ledger, store, target)]
        with _copied_ledger(place, ledger, path, report) as conn:
            revision, rows = upgrades.current_revision(conn), snapshots.count_rows(conn)
            if store is not None and target is not None:
                report("objects and envelopes")
                copied += [transfer.copy_objects(store, target), _copy_envelopes(conn, store, target)]
                copied.append(transfer.copy_corpora(store, target))
    report("checking the copy")
    verified = _check_copy(path, target, revision, now) if place.is_sqlite else None
    description = BackupDescription(
        made_at=now,
        build=BUILD,
        database=database,
        revision=revision,
        ledger_sha256=_hash_file(path),
        ledger_bytes=path.stat().st_size,
        rows=rows,
        staged=store is not None,
    )
    _write_new(folder / DESCRIPTION, description.model_dump_json(indent=2).encode() + b"\n")
    return BackupResult(description, tuple(copied), verified)


def restore_backup(
    folder: Path,
    place: DatabaseLocation,
    store: Store | None,
    *,
    replace: bool,
    now: datetime,
    report: Report,
) -> tuple[BackupDescription, Path | None, VerificationReport | None]:
    """Put the backup in *folder* to *place*, and its files into *store* (None: the ledger only).

    Gives what was restored, where the ledger that stood there was moved to, and what the verification found after a
    recovery (None: the ledger is of another version than this program). A ledger that is there is left alone, unless
    *replace*: then it is moved aside; PostgreSQL needs an empty database. On SQLite the ledger gets its name last.
    """
    description = _read_description(folder)
    path = folder / _LEDGER_FILES[description.database]
    if (description.database == "sqlite") != place.is_sqlite:
        raise ActionRefused(
            f"{folder} is a backup of a ledger on {description.database}; RORI_DATABASE_URL names {place}. Name a "
            f"{'file' if description.database == 'sqlite' else 'database of PostgreSQL'} there."
        )
    if store is not None and not description.staged:
        raise ActionRefused(f"{folder} holds no staged files: give --ledger-only, and restore them in another way.")
    _check_vacant(place, replace=replace, now=now)
    report("checking the backup")
    if not path.is_file() or _hash_file(path) != description.ledger_sha256:
        raise LedgerError(f"{path} is not the file that {DESCRIPTION} describes: it is missing, or was changed.")
    if place.path is None:
        report("restoring the database")
        snapshots.restore_postgresql(place, path)
        return description, None, _fill(place, description, folder, store, now, report)
    place.path.parent.mkdir(mode=0o770, parents=True, exist_ok=True)
    waiting = place.path.with_name(f"{place.path.name}.restoring")
    _remove_sqlite(waiting)
    snapshots.copy_sqlite(path, waiting, lambda share: report(f"ledger, {share:.0%}"), mode=0o660)
    snapshots.check_sqlite(waiting)
    verified = _fill(parse_database_url(str(waiting)), description, folder, store, now, report)
    moved = _move_aside(place.path, now) if replace and place.path.exists() else None
    os.link(waiting, place.path)  # fails where somebody has made another one meanwhile
    waiting.unlink()
    return description, moved, verified


def _prepare_folder(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        is_empty = next(folder.iterdir(), None) is None
    except OSError as error:
        raise StagingError(f"{folder} cannot be written: {error.strerror}.") from error
    if not is_empty:
        raise ActionRefused(f"{folder} is not empty: name a new folder for each backup.")


@contextmanager
def _copied_ledger(place: DatabaseLocation, ledger: Ledger, path: Path, report: Report) -> Iterator[Connection]:
    """Within: a connection that sees what the copy at *path* holds, and nothing of later."""
    report("ledger")
    if place.path is not None:
        snapshots.copy_sqlite(place.path, path, lambda share: report(f"ledger, {share:.0%}"))
        with snapshots.open_any_version(parse_database_url(str(path))) as copy, copy.connect() as conn:
            yield conn
        return
    with ledger.connect() as conn:
        snapshots.dump_postgresql(place, conn, path)
        yield conn


def _copy_envelopes(conn: Connection, store: Store, target: Store) -> CopyResult:
    """The envelopes of the copied ledger. Raises StagingError when one is not there that was staged."""
    named = select(envelopes.c.path).where(envelopes.c.state != "pruned").execution_options(yield_per=1_000)
    copied = transfer.copy_envelopes(store, target, conn.execute(named).scalars())
    reserved = set(conn.execute(select(envelopes.c.path).where(envelopes.c.state == "reserved")).scalars())
    if gone := sorted(set(copied.missing) - reserved):
        raise StagingError(
            f"{len(gone)} envelopes that the ledger names are not in {store.location}, such as {gone[0]}. If they were "
            "pruned meanwhile, make the backup again; else `scrapy verify` lists them."
        )
    return copied


def _check_copy(path: Path, target: Store | None, revision: str | None, now: datetime) -> VerificationReport | None:
    """What a verification of the copy finds; None where it is of another version, or without its files."""
    snapshots.check_sqlite(path)
    if target is None or revision != upgrades.known_revisions()[-1]:
        return None
    with closing(open_ledger(str(path), migrate=False)) as copy:
        return verify_staging(copy, target, now=now)


def _fill(
    place: DatabaseLocation,
    description: BackupDescription,
    folder: Path,
    store: Store | None,
    now: datetime,
    report: Report,
) -> VerificationReport | None:
    """Compare what was restored to *place* with its description, copy the files, recover, and verify."""
    with snapshots.open_any_version(place) as ledger, ledger.connect() as conn:
        revision, rows = upgrades.current_revision(conn), snapshots.count_rows(conn)
    if (revision, rows) != (description.revision, description.rows):
        others = sorted(name for name in {*rows, *description.rows} if rows.get(name) != description.rows.get(name))
        raise LedgerError(
            f"What was restored to {place} has not the version and rows that {DESCRIPTION} names: version {revision}, "
            f"tables that differ: {', '.join(others) or 'none'}."
        )
    if revision != upgrades.known_revisions()[-1]:
        if store is not None:
            raise ActionRefused(
                f"The backup is of version {revision} of the ledger, and this program has another: restore it with "
                "--ledger-only, run `scrapy ledger upgrade`, and copy its staged files."
            )
        return None
    if store is None:
        return None
    with open_ledger(str(place.path or place.url.render_as_string(hide_password=False)), migrate=False) as ledger:
        source = DiskStore(folder / STAGED)
        report("staged files")
        transfer.check_target(ledger, source, store)
        _copy_back(ledger, source, store)
        # Who held them writes to the ledger that was copied. Else what they had begun would be left to them.
        ledger.write(lambda conn: leases.release_leases(conn, leases.lease_holders(conn)))
        report("verifying")
        return verify_staging(ledger, store, repair=True, now=now)


def _copy_back(ledger: Ledger, source: Store, target: Store) -> None:
    copied = (
        transfer.copy_objects(source, target),
        transfer.copy_summaries(source, target),
        transfer.copy_envelopes(source, target, source.paths()),
        transfer.copy_corpora(source, target),
        *transfer.copy_lines(ledger, source, target),
    )
    if damaged := [name for one in copied for name in one.damaged]:
        raise StagingError(f"{len(damaged)} objects of the backup are damaged, such as {damaged[0]}.")


def _check_vacant(place: DatabaseLocation, *, replace: bool, now: datetime) -> None:
    """Raise ActionRefused when a ledger is at *place* that is to stay, or that a job is using."""
    if place.path is not None and not place.path.exists():
        return
    with snapshots.open_any_version(place) as ledger, ledger.connect() as conn:
        if upgrades.current_revision(conn) is None:
            return
        if place.path is None:
            raise ActionRefused(
                f"There is a ledger at {place}. A backup is restored into an empty database: create one, and name it "
                "in RORI_DATABASE_URL."
            )
        if not replace:
            raise ActionRefused(
                f"There is a ledger at {place}. Name another place in RORI_DATABASE_URL, or give --replace: it is "
                "then moved aside."
            )
        if running := find_live_jobs(conn, now):
            raise ActionRefused(f"A job is running ({', '.join(sorted(running))}): stop all jobs first.")


def _move_aside(path: Path, now: datetime) -> Path:
    moved = path.with_name(f"{path.name}.before-restore-{now:%Y%m%dT%H%M%S}")
    for ending in ("", *_WAL_FILES):
        file = path.with_name(path.name + ending)
        if file.exists():
            file.rename(moved.with_name(moved.name + ending))
    return moved


def _remove_sqlite(path: Path) -> None:
    for ending in ("", *_WAL_FILES):
        path.with_name(path.name + ending).unlink(missing_ok=True)


def _read_description(folder: Path) -> BackupDescription:
    try:
        return BackupDescription.model_validate_json((folder / DESCRIPTION).read_bytes())
    except OSError as error:
        raise ActionRefused(
            f"{folder} is not a finished backup: {DESCRIPTION} cannot be read ({error.strerror})."
        ) from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the file"
        raise ActionRefused(f"{folder / DESCRIPTION} is not of this program: {where}: {first['msg']}.") from error


def _hash_file(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _write_new(path: Path, data: bytes) -> None:
    with open(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as file:  # noqa: PTH123  # its mode
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
