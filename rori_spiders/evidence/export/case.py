"""A case: everything that the ledger can show of a source, a page or a run, in one WACZ file with its proofs.

The WARC inside has the exchanges, ``evidence/`` the facts with their proofs, the heads that the proofs lead to, the
texts, the envelopes, what changed between versions, and the program that verifies it all without ours.
docs/reference/evidence-export.md describes each file.
"""

from __future__ import annotations

import json
import os
from base64 import b64encode
from dataclasses import dataclass, field
from functools import partial
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any
from uuid import NAMESPACE_URL, uuid5

from rori_spiders.comparison.diff_report import render_diff_html
from rori_spiders.comparison.staged_text import TextMissing
from rori_spiders.comparison.version_diff import (
    TextArchive,
    compare_versions,
    read_version_texts,
)
from rori_spiders.evidence.export.case_selection import CaseSelection
from rori_spiders.evidence.export.fact_proofs import FactProver
from rori_spiders.evidence.export.object_reader import ObjectReader
from rori_spiders.evidence.export.wacz_package import ArchivedPage, WaczPackage, render_index, render_pages
from rori_spiders.evidence.export.warc_records import RecordWriter
from rori_spiders.exceptions import ActionRefused, DamagedObject, StagingError
from rori_spiders.ledger.audit.facts import AUDIT, FACT_KINDS
from rori_spiders.ledger.pages.page_history import VersionRow, find_page, list_versions
from rori_spiders.ledger.tables.base import format_utc

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from datetime import datetime

    from sqlalchemy import Connection

    from rori_spiders.evidence.export.case_selection import CaseScope
    from rori_spiders.evidence.export.wacz_package import PackageSigner
    from rori_spiders.evidence.export.warc_records import WrittenRecord
    from rori_spiders.ledger.audit.audit_log import ModelRows
    from rori_spiders.ledger.database import Ledger
    from rori_spiders.manifest.catalog import Catalog
    from rori_spiders.staging.store import Store

_WARC = "data.warc.gz"
VERIFIER = "verify_evidence.py"
_README = """\
RORI Collector: {scope}
Exported {made_at} (UTC, the clock of the machine that exported it).

Verify this file without any program of ours (Python 3.11 or newer, the package `cryptography`):

    python evidence/verify_evidence.py CASE.wacz --key KEY

KEY is the public key of whoever runs the collector, a line that begins with their ledger's name. Ask them for it in
another way than by this file; for the program as well, where you do not trust the giver of the file. Look at the
pages: open the file at https://replayweb.page (nothing is uploaded).

archive/data.warc.gz     requests, responses, what was made of them (WARC 1.1)
evidence/facts.jsonl     what the ledger recorded, each fact with the path to the root of a head
evidence/heads/          the signed heads of the log of facts, and their timestamps
evidence/texts/          the text of each version, by its SHA-256
evidence/screenshots/    pictures of pages, where they were asked for, by their SHA-256
evidence/envelopes/      the files that were handed on
evidence/absent.json     what facts name and this file does not have, as its maker says
evidence/changes/        what changed between two versions of a page
"""


@dataclass(slots=True)
class CaseSummary:
    """What was exported. *unsigned*: facts that no signed head covers.

    *missing*, *damaged*: hashes of objects and paths of envelopes that the staging area does not have, or not as they
    were; neither is in the file.
    """

    path: Path
    records: int = 0
    pages: int = 0
    facts: int = 0
    unsigned: int = 0
    missing: list[str] = field(default_factory=list)
    damaged: list[str] = field(default_factory=list)
    digest: str = ""


@dataclass(frozen=True, slots=True)
class CaseSources:
    """Where a case is read from. *catalog* gives the active sources, needed to convert a text again."""

    ledger: Ledger
    store: Store
    catalog: Callable[[], Catalog]
    heads: Mapping[int, str] = field(default_factory=dict)  # size -> signed note
    signer: PackageSigner | None = None


def export_case(sources: CaseSources, scope: CaseScope, path: Path, *, now: datetime) -> CaseSummary:
    """Write the case of *scope* to *path*, whole or not at all.

    Raises ActionRefused where a file is there already, UnknownName where the ledger has nothing of *scope*,
    UnprovenFact for a row that was changed, StagingError.
    """
    if path.exists():
        raise ActionRefused(f"{path} exists already. Name another file with -o, or remove it first.")
    try:
        with TemporaryDirectory(dir=path.parent, prefix=f".{path.name}.") as folder, sources.ledger.connect() as conn:
            case = _CaseWriter(conn, sources, CaseSelection(conn, scope), Path(folder), path, now)
            summary = case.write()
            os.link(case.package_path, path)  # never over a file that came meanwhile
    except OSError as error:
        raise StagingError(f"{path} could not be written: {error.strerror or error}") from error
    return summary


class _CaseWriter:
    def __init__(
        self, conn: Connection, sources: CaseSources, rows: CaseSelection, folder: Path, path: Path, now: datetime
    ) -> None:
        self.package_path = folder / "case.wacz"
        self._conn = conn
        self._sources = sources
        self._rows = rows
        self._folder = folder
        self._now = now
        self._summary = CaseSummary(path)
        self._heads = sources.heads
        self._prover = FactProver(conn, sorted(self._heads))
        self._texts: dict[str, str] = {}  # hash -> title, of those that are written
        self._pictures: set[str] = set()  # hashes
        self._reader = ObjectReader(sources.store)
        self._load = self._reader.load_object
        self._pruned: set[str] = set()  # paths of envelopes
        self._absent: set[str] = set()  # hashes of objects, and those paths

    def write(self) -> CaseSummary:
        with self.package_path.open("xb") as out, WaczPackage(out, self._now) as package:
            replayed, pages = self._write_warc(self._folder / _WARC)
            package.add_file(f"archive/{_WARC}", self._folder / _WARC)
            package.add("indexes/index.cdx", render_index(replayed, _WARC))
            package.add("pages/pages.jsonl", render_pages(pages))
            self._add_facts(package)
            named = {f"evidence/texts/{digest}.md": digest for digest in self._texts}
            named |= {f"evidence/screenshots/{digest}.jpg": digest for digest in self._pictures}
            for name, digest in sorted(named.items()):
                data = self._load(digest)
                if data is None:
                    self._absent.add(digest)
                else:
                    package.add(name, data)
            package.add("evidence/absent.json", json.dumps(sorted(self._absent), indent=1).encode())
            self._summary.missing = sorted(self._absent - self._pruned - self._reader.damaged)
            self._summary.damaged = sorted(self._reader.damaged)
            for name, page in self._render_changes():
                package.add(f"evidence/changes/{name}", page.encode())
            self._add_heads(package)
            package.add(f"evidence/{VERIFIER}", files(__package__).joinpath(VERIFIER).read_bytes())
            about = _README.format(scope=self._rows.scope, made_at=format_utc(self._now))
            package.add("evidence/README.txt", about.encode())
            title = f"RORI Collector: {self._rows.scope}"
            self._summary.digest = package.finish(title, about.partition("\n\n")[0], self._sources.signer)
            self._summary.pages = len(pages)
        return self._summary

    # --- archive/ -------------------------------------------------------------------------------------------------

    def _write_warc(self, path: Path) -> tuple[list[WrittenRecord], list[ArchivedPage]]:
        replayed: list[WrittenRecord] = []
        pages: list[ArchivedPage] = []
        models: ModelRows = {}
        titles = {(row["run_id"], row["url"]): row["title"] for row in self._rows.stream_versions()}
        with path.open("xb") as out:
            records = RecordWriter(out, self._load)
            records.write_info(_WARC, str(self._rows.scope), self._now)
            for stored in self._rows.stream_audit_rows():
                row, text = self._whole(stored, models), None
                if stored["state"] == "captured" and stored["content_hash"]:
                    text = self._load(stored["content_hash"])
                    if text is None:
                        records.missing.append(stored["content_hash"])
                written = records.write_row(row, text)
                self._summary.records += 1
                if written is None:
                    continue
                replayed.append(written)
                if text is not None:
                    title = titles.get((stored["run_id"], stored["url"])) or stored["url"]
                    page_id = str(uuid5(NAMESPACE_URL, f"{stored['run_id']}/{stored['seq']}"))
                    pages.append(ArchivedPage(page_id, written.url, written.at, title, text.decode("utf-8", "replace")))
            self._absent.update(records.missing)
        return replayed, pages

    def _whole(self, stored: Mapping[Any, Any], models: ModelRows) -> dict[Any, Any]:
        return self._rows.with_whole_values(stored, models)

    # --- evidence/ ------------------------------------------------------------------------------------------------

    def _add_facts(self, package: WaczPackage) -> None:
        path = self._folder / "facts.jsonl"
        envelopes: dict[str, str] = {}
        with path.open("x", encoding="ascii") as out:
            for line in self._prove_facts(envelopes):
                out.write(f"{line}\n")
                self._summary.facts += 1
        package.add_file("evidence/facts.jsonl", path)
        for name, file_hash in sorted(envelopes.items()):
            data = self._reader.load_envelope(name, file_hash)
            if data is not None:
                package.add(f"evidence/envelopes/{name}", data)
            else:
                self._absent.add(name)
                if self._rows.is_pruned(name):  # once it was confirmed: its text is among the objects
                    self._pruned.add(name)

    def _prove_facts(self, envelopes: dict[str, str]) -> Iterator[str]:
        prove = self._prover.prove
        for name in ("run", "robots", "list", "summary"):
            yield from map(partial(prove, FACT_KINDS[name]), self._rows.stream_facts(name))
        yield from map(partial(prove, FACT_KINDS["action"]), self._rows.stream_actions())
        for row in self._rows.stream_audit_rows():
            yield prove(AUDIT, row)
            envelope = self._rows.find_envelope(row) if row["staged_path"] else None
            if envelope is not None and envelope["path"] not in envelopes:
                envelopes[envelope["path"]] = envelope["file_hash"]
                yield prove(FACT_KINDS["envelope"], envelope)
        for row in self._rows.stream_versions():
            yield prove(FACT_KINDS["version"], row)
            if row["change_type"] != "deleted":
                self._texts[row["body_object"]] = row["title"] or row["url"]
            if row["screenshot_object"] is not None:
                self._pictures.add(row["screenshot_object"])

    def _render_changes(self) -> Iterator[tuple[str, str]]:
        """One page of HTML for each two versions that follow each other."""
        archive = TextArchive(self._sources.ledger, self._sources.store, self._sources.catalog)
        before: dict[Any, Any] | None = None
        for number, row in enumerate(self._rows.stream_versions(), 1):
            same_page = before is not None and (before["source_id"], before["url"]) == (row["source_id"], row["url"])
            previous, before = before, row
            if previous is None or not same_page:
                continue
            page = find_page(self._conn, row["source_id"], row["url"])
            if page is None:
                continue
            by_seq = {one.seq: one for one in list_versions(self._conn, page.page_id)}
            old, new = by_seq[previous["seq"]], by_seq[row["seq"]]
            if old.is_removal or new.is_removal:
                continue
            try:
                texts = read_version_texts(archive, {page.page_id: page}, old, new)
            except (TextMissing, DamagedObject):
                continue  # evidence/absent.json names it
            difference = compare_versions(texts, old, new)
            head = [f"{page.source_id}  {page.url}", *map(_describe_version, (old, new)), *texts.notes]
            yield f"{number:05}-{old.seq}-to-{new.seq}.html", render_diff_html(difference, head)

    def _add_heads(self, package: WaczPackage) -> None:
        for size in sorted(self._prover.used_sizes):
            note = self._heads.get(size)
            if note is None:  # facts since the last head, or no key: a head that nobody signed
                self._summary.unsigned = self._prover.used_sizes[size]
                note = f"unsigned\n{size}\n{b64encode(self._prover.tree.root(size)).decode()}\n"
            package.add(f"evidence/heads/{size}.txt", note.encode())


def _describe_version(version: VersionRow) -> str:
    return f"version {version.seq}, captured {format_utc(version.captured_at)}, SHA-256 {version.content_hash}"
