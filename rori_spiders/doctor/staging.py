"""The staging area: is it there, may we write, is there room, does it belong to this ledger."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from rori_spiders.doctor.disks import LEAST, MIB, PLENTY, existing, file_system, free_bytes
from rori_spiders.doctor.patient import Finding
from rori_spiders.stores import open_store
from rori_spiders.stores.agreement import check_files, is_empty, without_ledger

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rori_spiders.doctor.patient import Patient


def staging(patient: Patient) -> Iterator[Finding]:
    """A folder is looked at, never written; a bucket is read."""
    if patient.places is None:
        return
    place = patient.places.staging
    if "://" in place:
        yield from _bucket(place)
    else:
        yield from _folder(Path(place))
        if not Path(place).is_dir():
            return
    store = open_store(place)
    empty = is_empty(store)
    if patient.ledger is not None and empty:
        check_files(patient.ledger, store)
    elif not patient.places.has_ledger and not empty:
        raise without_ledger(store, patient.places.shown_ledger)
    torn = store.torn()
    if torn:
        do = "Nothing: the next job mends it. If it stays: `scrapy verify --repair`."
        yield Finding("staging files", "warning", f"the last line of {', '.join(torn)} has no end", do)
    else:
        found = "nothing was staged yet" if empty else "it can be read, and belongs to the ledger"
        yield Finding("staging files", "ok", found)


def _bucket(place: str) -> Iterator[Finding]:
    from rori_spiders.stores.s3.looking import look  # boto3 is loaded where there is a bucket

    seen = look(place)
    versions = "" if seen.versioned is None else ", versioned" if seen.versioned else ", not versioned"
    found = f"{place} at {seen.endpoint} can be listed{versions}"
    if seen.expiring:
        do = "Take the prefix out of it: only `scrapy staging prune` knows what was confirmed (docs/staging-s3.md)."
        yield Finding("staging", "failed", f"{found}; its rule {', '.join(seen.expiring)} expires what is staged", do)
        return
    untold = "its rules of expiry may not be read; " if seen.expiring is None else ""
    yield Finding(
        "staging", "ok", f"{found}; {untold}writing and removing are not tried here: each job does at its start"
    )


def _folder(path: Path) -> Iterator[Finding]:
    there = existing(path)
    if not there.is_dir():
        yield Finding("staging", "failed", f"{there} is a file", "Name a folder in RORI_STAGING.")
        return
    free, kind = free_bytes(path), file_system(path)
    found = f"{path}, {free // MIB:,} MiB free{f' ({kind})' if kind else ''}"
    if there != path:
        found = f"{path} is not there yet: the first job makes it; {free // MIB:,} MiB free"
    if not os.access(there, os.W_OK | os.X_OK):
        yield Finding("staging", "failed", f"{found}; this user may not write {there}", "Give this user the right to.")
    elif free < PLENTY:
        do = "Free some space, or prune what was confirmed."
        yield Finding("staging", "failed" if free < LEAST else "warning", found, do)
    else:
        yield Finding("staging", "ok", found)
