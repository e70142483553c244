"""The ledger's database: can it be reached, is it of this version, may we write, is there room."""

from __future__ import annotations

import os
import sqlite3
from typing import TYPE_CHECKING

from rori_spiders.doctor.disks import LEAST, MIB, PLENTY, file_system, free_bytes, is_network
from rori_spiders.doctor.patient import Finding
from rori_spiders.doctor.postgresql import postgresql
from rori_spiders.ledger import places, upgrades

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rori_spiders.doctor.patient import Patient


def database(patient: Patient) -> Iterator[Finding]:
    """Reached, of this version: how it was opened has been told where it failed."""
    if patient.ledger is None:
        return
    with patient.ledger.connect() as conn:
        version = upgrades.current(conn)
        if patient.ledger.place.path is not None:
            yield from _sqlite(patient.ledger.place.path, version)
        else:
            yield from postgresql(conn, str(patient.ledger.place), version, patient.now)


def room(patient: Patient) -> Iterator[Finding]:
    """The disk under a SQLite ledger, also one that is not there yet."""
    path = places.parse(patient.places.database_url).path if patient.places else None
    if path is None:
        return
    kind, free = file_system(path), free_bytes(path)
    found = f"{free // MIB:,} MiB are free at {path.parent}{f' ({kind})' if kind else ''}"
    if is_network(kind):
        do = "Move the ledger to a local disk: across a network SQLite loses its locks, and then its rows."
        yield Finding("ledger's disk", "failed", found, do)
    elif free < PLENTY:
        yield Finding("ledger's disk", "failed" if free < LEAST else "warning", found, "Free some space.")
    else:
        yield Finding("ledger's disk", "ok", found)


def _sqlite(path: Path, version: str | None) -> Iterator[Finding]:
    found = f"SQLite {sqlite3.sqlite_version}, {path}, version {version}, {path.stat().st_size / MIB:,.1f} MiB"
    if os.access(path, os.W_OK) and os.access(path.parent, os.W_OK | os.X_OK):
        yield Finding("ledger", "ok", found)
    else:
        do = "Give this user the right to write the file and its folder, or run as the user who may."
        yield Finding("ledger", "failed", f"{found}: read-only for this user", do)
