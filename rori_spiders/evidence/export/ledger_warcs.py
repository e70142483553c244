"""Everything that the ledger recorded, as WARC files that follow each other."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from rori_spiders.evidence.export.object_reader import ObjectReader
from rori_spiders.evidence.export.warc_records import RecordWriter
from rori_spiders.exceptions import ActionRefused, StagingError
from rori_spiders.ledger.audit import audit_log
from rori_spiders.ledger.tables import audit

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime
    from pathlib import Path

    from sqlalchemy import Connection

    from rori_spiders.ledger.database import Ledger
    from rori_spiders.staging.store import Store

#: The size that the WARC specification recommends; a file ends with the row that passes it.
MAX_BYTES = 10**9
_TOGETHER = 500


@dataclass(slots=True)
class WarcsSummary:
    """What was exported. *missing*, *damaged*: objects that are not there, or not as they were."""

    rows: int = 0
    files: int = 0
    missing: list[str] = field(default_factory=list)
    damaged: list[str] = field(default_factory=list)


def export_warcs(
    ledger: Ledger, store: Store, folder: Path, *, since: datetime | None, now: datetime, max_bytes: int = MAX_BYTES
) -> WarcsSummary:
    """Write all audit rows, with texts, to files in a new *folder*: ``rori-{first time}-{number}.warc.gz``.

    Raises ActionRefused where the folder has files already, StagingError.
    """
    reader = ObjectReader(store)
    load = reader.load_object
    done = WarcsSummary()
    missing: set[str] = set()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise ActionRefused(f"{folder} is not empty. Name a new folder with -o.")
        with ledger.connect() as conn:
            rows = _stream_rows(conn, since)
            row = next(rows, None)
            while row is not None:
                done.files += 1
                name = f"rori-{row['timestamp']:%Y%m%d%H%M%S}-{done.files:05}.warc.gz"
                part = folder / f"{name}.part"
                with part.open("xb") as out:
                    records = RecordWriter(out, load)
                    records.write_info(name, "everything recorded", now)
                    while row is not None and out.tell() < max_bytes:
                        text = None
                        if row["state"] == "captured" and row["content_hash"]:
                            text = load(row["content_hash"])
                            missing |= {row["content_hash"]} if text is None else set()
                        records.write_row(row, text)
                        done.rows += 1
                        row = next(rows, None)
                missing.update(records.missing)
                part.rename(folder / name)
    except OSError as error:
        raise StagingError(f"{folder} could not be written: {error.strerror or error}") from error
    done.missing, done.damaged = sorted(missing - reader.damaged), sorted(reader.damaged)
    return done


def _stream_rows(conn: Connection, since: datetime | None) -> Iterator[dict[Any, Any]]:
    query = select(audit).order_by(audit.c.timestamp, audit.c.audit_id)
    if since is not None:
        query = query.where(audit.c.timestamp >= since)
    models: audit_log.ModelRows = {}
    with conn.execute(query.execution_options(yield_per=_TOGETHER)) as rows:
        for row in rows.mappings():
            yield audit_log.with_whole_values(conn, row, models)
