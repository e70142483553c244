"""CPU time, peak memory and size of each export: every table of `scrapy export` in every format.

    .venv/bin/python -m benchmarks.exports                        # 1,000,000 rows of each table
    .venv/bin/python -m benchmarks.exports 100000 --only changes,audit --formats csv
    .venv/bin/python -m benchmarks.exports --postgresql --only audit --formats jsonl
    .venv/bin/python -m benchmarks.exports --keep /tmp/exports    # the ledger and the files stay, and are used again

Makes a ledger with so many audit rows, pages, versions and changes, and a tenth as many envelopes of ten citations
each: so many citations (``--envelopes 1000000`` makes so many envelopes instead, each a file of its own). Rows are made
by the database and repeat each other: Parquet is smaller than yours will be.
Each export is a process of its own; "CPU s" is its user and system time, "MiB" its peak memory.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import tempfile
from contextlib import ExitStack, closing
from hashlib import sha256
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from sqlalchemy import text

from benchmarks.ledger_queries import fill, fill_table
from rori_spiders.ledger.database import open_ledger, upgrade_ledger
from rori_spiders.staging.store_factory import DiskStore
from tests.envelope.factories import SITE, an_id
from tests.staging.job_driver import Job, begin
from tests.support.postgresql import Cluster

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

    from rori_spiders.ledger.database import Ledger

_TABLES = ("changes", "versions", "pages", "audit", "envelopes", "citations")
_FORMATS = ("jsonl", "csv", "parquet", "sqlite")
_CITATIONS = 10
_DETAILS = (
    '{"rules": ["deadline"], "sections": [["changed", "Sec. 1007.103"]], "marks": [["number", "60", "61"]], "excerpt": '
    '["Sec. 1007.103(a)(4)(ii) Registration", ["=", "must be met within "], ["-", "60"], ["+", "61"], '
    '["=", " days from the effective date of the acquisition"]], "words_added": 1, "words_removed": 1}'
)


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", nargs="?", type=int, default=1_000_000)
    parser.add_argument("--only", default=",".join(_TABLES), help="tables, separated by commas")
    parser.add_argument("--formats", default=",".join(_FORMATS))
    parser.add_argument("--envelopes", type=int, help="how many to stage (default: a tenth of the rows)")
    parser.add_argument("--postgresql", action="store_true", help="a ledger on PostgreSQL instead of SQLite")
    parser.add_argument("--keep", type=Path, help="folder of the ledger and the files")
    opts = parser.parse_args(arguments)
    with ExitStack() as stack:
        folder = opts.keep or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        folder.mkdir(parents=True, exist_ok=True)
        url = f"sqlite:///{folder / 'ledger.db'}"
        if opts.postgresql:
            url = stack.enter_context(closing(Cluster())).ledger()
        if opts.postgresql or not (folder / "ledger.db").exists():
            with closing(open_ledger(url)) as ledger:
                _fill(ledger, opts.rows)
        upgrade_ledger(url)  # a kept one may be older than this program
        if {"envelopes", "citations"} & {*opts.only.split(",")} and not (folder / "staged").exists():
            with closing(open_ledger(url)) as ledger:
                _stage(ledger, DiskStore(folder / "staged"), opts.envelopes or opts.rows // _CITATIONS)
        print(f"{'table':10} {'format':8} {'rows':>10} {'CPU s':>7} {'s':>7} {'MiB':>6} {'MB':>7}")
        for table in opts.only.split(","):
            for form in opts.formats.split(","):
                _measure(folder, url, table, form)
    return 0


def _fill(ledger: Ledger, rows: int) -> None:
    with ledger.begin() as conn:
        fill(conn, rows)
        _fill_pages(conn, rows)
        details = ":details" if conn.dialect.name == "sqlite" else "cast(:details AS json)"
        conn.execute(
            text(
                "INSERT INTO changes (page_id, seq, source_id, at, from_seq, kind, importance, details, described_at) "  # noqa: S608
                f"SELECT v.page_id, v.seq, p.source_id, v.captured_at, NULL, 'number', 3, {details}, v.captured_at "
                "FROM versions v JOIN pages p ON p.page_id = v.page_id"
            ),
            {"details": _DETAILS},
        )
        if conn.dialect.name == "postgresql":  # which gave none of the ids itself
            conn.execute(
                text("SELECT setval(pg_get_serial_sequence('pages', 'page_id'), (SELECT max(page_id) FROM pages))")
            )


def _fill_pages(conn: Connection, rows: int) -> None:
    """Pages beyond those that `fill` makes, with one version each: *rows* versions in all."""
    many = {"sources": rows // 200, "runs": rows // 50, "pages": rows // 20}
    more = rows - 2 * many["pages"]
    first = many["pages"]
    fill_table(
        conn,
        "pages",
        "page_id, source_id, url, url_hash, title, first_seen_at, last_seen_at, last_seq, content_hash, body_chars",
        f"{first} + i, 'source-' || ((i - 1) % SOURCES), 'https\\://www.example.gov/rules/more/' || (i - 1),"
        f" hash<{first} + i>, 'Rule ' || i, time<i>, time<30000000>, 1, hash<i>, 9000",
        more,
        many,
    )
    fill_table(
        conn,
        "versions",
        "page_id, seq, run_id, captured_at, change_type, content_hash, raw_object, body_object, section_hashes,"
        " converter_version, tier, title",
        f"{first} + i, 1, uuid<i % RUNS>, time<i * STEP>, 'new', hash<i>, hash<i>, hash<i>, json<'[]'>, '1', 'http',"
        " 'Rule ' || i",
        more,
        many,
    )


def _stage(ledger: Ledger, store: DiskStore, number: int) -> None:
    """Envelopes of one page of ten citations, each with an id and an address of its own."""
    job = Job(ledger, store, an_id(1))
    sections = "\n\n".join(f"Pay within {at} days, see 12 CFR 1024.{at}." for at in range(1, _CITATIONS + 1))
    job.page(begin(job, SITE)[0], f"Rule\n\n{sections}")
    with ledger.connect() as conn:
        row = conn.execute(text("SELECT * FROM envelopes")).mappings().one()
    document = json.loads(store.read(row["path"]))
    [cited] = document["processing"]["citations"]
    document["processing"]["citations"] = [cited | {"start": at, "end": at + 20} for at in range(_CITATIONS)]
    staged = json.dumps(document).encode()
    names = [name for name in row if name not in {"envelope_id", "url", "url_hash", "path", "file_hash"}]
    columns = ", ".join(names)
    root = Path(store.location)
    with ledger.begin() as conn:
        for begun in range(0, number, 1000):
            folder = f"bench/{begun // 1000}"
            (root / folder).mkdir(parents=True, exist_ok=True)
            added = []
            for at in range(begun, min(begun + 1000, number)):
                ident, url = an_id(at + 10), f"{SITE}{at}/"
                data = staged.replace(row["envelope_id"].encode(), ident.encode()).replace(SITE.encode(), url.encode())
                path = f"{folder}/{at}.json"
                (root / path).write_bytes(data)
                added.append(
                    {"id": ident, "url": url, "key": f"{at:064}", "path": path, "hash": sha256(data).hexdigest()}
                )
            conn.execute(
                text(
                    f"INSERT INTO envelopes (envelope_id, url, url_hash, path, file_hash, {columns}) "  # noqa: S608
                    f"SELECT :id, :url, :key, :path, :hash, {columns} FROM envelopes WHERE path = :of"
                ),
                [{**one, "of": row["path"]} for one in added],
            )


def _measure(folder: Path, url: str, table: str, form: str) -> None:
    out, log = folder / f"{table}.{form}", folder / "log.txt"
    out.unlink(missing_ok=True)
    env = {name: value for name, value in os.environ.items() if not name.startswith("RORI_")}
    env |= {"SCRAPY_SETTINGS_MODULE": "rori_spiders.settings", "RORI_DATABASE_URL": url}
    env |= {"RORI_STAGING": str(folder / "staged")}
    words = [sys.executable, "-m", "scrapy", "export", table, "-o", str(out)]
    began = perf_counter()
    with log.open("wb") as written:
        child = os.posix_spawn(sys.executable, words, env, file_actions=[(os.POSIX_SPAWN_DUP2, written.fileno(), 2)])
        _, status, used = os.wait4(child, 0)
    lasted, said = perf_counter() - began, log.read_text(encoding="utf-8")
    if os.waitstatus_to_exitcode(status):
        raise SystemExit(f"export {table} {form} failed:\n{said}")
    rows = int(re.sub(r"\D", "", (re.search(r"Exported ([\d,.]+) row", said) or [""] * 2)[1]) or 0)
    spent, peak = used.ru_utime + used.ru_stime, used.ru_maxrss // 1024
    size = out.stat().st_size / 1e6
    print(f"{table:10} {form:8} {rows:10,} {spent:7.1f} {lasted:7.1f} {peak:6} {size:7.0f}", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
