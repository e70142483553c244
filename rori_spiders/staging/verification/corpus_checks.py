"""Corpora: each published version is whole and as its row says, nothing lies beside it, `latest` names one of them."""

import json
from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

from sqlalchemy import Row, select

from rori_spiders.ledger.corpus import published_versions
from rori_spiders.ledger.corpus.page_ids import page_id_for_url
from rori_spiders.ledger.database import Ledger
from rori_spiders.ledger.tables import corpus_overrides
from rori_spiders.staging.layout import DOMAINS, domain_kind
from rori_spiders.staging.store import Store
from rori_spiders.staging.verification.finding import Finding
from rori_spiders.staging.verification.parallel_reads import map_in_threads
from rori_spiders.staging.verification.selection import Selection

#: What is being published is left out for so long; a thousand pages take a minute in a bucket.
PUBLISHING_PERIOD = timedelta(hours=1)


def check_corpora(
    ledger: Ledger, store: Store, now: datetime, selection: Selection, counts: Counter[str]
) -> Iterator[Finding]:
    """Every version against its row and its manifest, and the reverse."""
    with ledger.connect() as conn:
        rows = {row.prefix: row for row in published_versions.list_all_versions(conn)}
        for row in conn.execute(select(corpus_overrides)):  # its leaf has the URL in the place of the page's id
            if row.page_id != page_id_for_url(row.url):
                yield Finding(
                    "override_differs", row.url, f"what {row.created_by} decided of it is kept of another page"
                )
    since = selection.scope.since
    for row in rows.values():
        if since is not None and row.published_at is not None and row.published_at < since:
            continue
        counts["corpus_versions"] += 1
        if row.state == published_versions.PUBLISHED:
            yield from _check_version(store, row, selection, counts)
        elif row.state == published_versions.PUBLISHING and row.begun_at < now - PUBLISHING_PERIOD:
            yield Finding(
                "version_unfinished",
                row.prefix,
                (
                    f"was started at {row.begun_at:%Y-%m-%d %H:%M} UTC and not finished: scrapy corpus publish "
                    f"{row.domain}"
                ),
            )
    folders = {path.rsplit("/", path.count("/") - 3)[0] for path in _version_files(store)}
    for folder in sorted(folders - rows.keys()):
        yield Finding("version_without_row", folder, "this version is not in the ledger")
    # Both are read one after the other, and a version may be published in between: what is so twice is so.
    again = set(_check_latest(ledger, store)) if (found := list(_check_latest(ledger, store))) else set()
    yield from (one for one in found if one in again)


def _check_version(store: Store, row: Row[Any], selection: Selection, counts: Counter[str]) -> Iterator[Finding]:
    path = f"{row.prefix}/manifest.json"
    try:
        data = store.domains.read(path)
        manifest = json.loads(data)
        others = (manifest.get(name) for name in ("chunks", "chunk_table", "references"))
        files = [*manifest["pages"], *manifest["tombstones"], *others]
        named = {one["path"]: one["sha256"] for one in files if one}
    except FileNotFoundError:
        yield Finding("version_file_missing", path, "the manifest of a published version is missing")
        return
    except (ValueError, TypeError, KeyError):
        named = {}
    if sha256(data).hexdigest() != row.manifest_hash:
        yield Finding("version_file_changed", path, "differs from the published manifest")

    def open_file(path: str, digest: str) -> list[Finding]:
        try:
            if sha256(store.domains.read(path)).hexdigest() != digest:
                return [Finding("version_file_changed", path, "does not match its manifest")]
        except FileNotFoundError:
            return [Finding("version_file_missing", path, "is missing but named in its manifest")]
        return []

    chosen = selection.choose("corpus_files", ((f"{row.prefix}/{name}", digest) for name, digest in named.items()))
    for findings in map_in_threads(lambda one: open_file(*one), chosen, threads=store.concurrent_reads):
        counts["corpus_files"] += 1
        yield from findings
    for other in store.domains.paths(row.prefix):
        if named and other.removeprefix(f"{row.prefix}/") not in named and other != path:
            yield Finding("version_file_unknown", other, "is in a published version but not in its manifest")


def _version_files(store: Store) -> Iterator[str]:
    return (path for path in store.domains.paths(DOMAINS) if domain_kind(path) == "version")


def _check_latest(ledger: Ledger, store: Store) -> Iterator[Finding]:
    pointers = {path: store.domains.read(path) for path in store.domains.paths() if domain_kind(path) == "latest"}
    with ledger.connect() as conn:
        rows = published_versions.list_all_versions(conn)
    latest = {row.domain: row for row in rows if row.state == published_versions.PUBLISHED}
    unfinished = {(row.domain, row.version) for row in rows if row.state == published_versions.PUBLISHING}
    for path, data in pointers.items():
        domain = path.split("/")[1]
        row = latest.pop(domain, None)
        try:
            pointer = json.loads(data)
            says = pointer["version"]
        except (ValueError, TypeError, KeyError):
            says = None
        if says is not None and (domain, says) in unfinished:
            continue  # its row is about to follow, or is a finding of its own
        if row is None or data != _render_latest(row):
            what = f"version {row.version}" if row is not None else "none"
            yield Finding("latest_differs", path, f"is not the pointer to the last published version: {what}")
    for domain, row in latest.items():
        where = f"{DOMAINS}/{domain}/corpora/latest.json"
        yield Finding("latest_missing", where, f"is missing; version {row.version} is published")


def _render_latest(row: Row[Any]) -> bytes:
    """``latest.json`` as it was published (corpus/publishing/version_manifest.py), byte for byte."""
    names = {
        "format": "rori-corpus-latest/1",
        "domain": row.domain,
        "version": row.version,
        "manifest": f"{row.prefix}/manifest.json",
        "manifest_sha256": row.manifest_hash,
    }
    return json.dumps(names, indent=1, ensure_ascii=False).encode() + b"\n"
