"""``scrapy corpus publish``, ``rollback``, ``load``, ``loaded``, ``reconcile``, ``delta``: versions and drafts."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from rori_spiders.corpus.publishing.entries import Request
from rori_spiders.corpus.publishing.loading import Loader, load, report
from rori_spiders.corpus.publishing.reconciling import listed, reconcile
from rori_spiders.corpus.publishing.standing import standing
from rori_spiders.corpus.running import publishing
from rori_spiders.corpus.running.freshness import open_draft
from rori_spiders.exceptions import UsageError
from rori_spiders.ledger.corpus import runs, versions
from rori_spiders.terminal.listing import Column, harmless, write_listing

if TYPE_CHECKING:
    import argparse

    from rori_spiders.terminal.corpus.desk import Desk

DRIFTS = (Column("doc_id", "document"), Column("kind", "drift"), Column("says", "what"))


def publish(desk: Desk, opts: argparse.Namespace) -> int:
    """Publish the approved run of a domain, or finish that, and start its loader. 1: the loader failed."""
    run = desk.open_run(opts.domain) or desk.newest_run(opts.domain)
    row = publishing.publish_run(desk.work(run), by=desk.by, reason=opts.reason, leaves_out=opts.leave_out)
    print(f"{opts.domain}: version {row.version}, {row.pages:,} pages, {row.tombstones:,} tombstones")
    return loaded(desk, opts.domain, row.version)


def roll_back(desk: Desk, opts: argparse.Namespace) -> int:
    """Publish the pages of an older version as a new one. 1: the loader failed."""
    request = Request(opts.domain, desk.by, rolled_back_to=opts.version, reason=opts.reason)
    sources = desk.sources(desk.newest_run(opts.domain))
    row = publishing.roll_back(desk.ledger, desk.store, sources, request, now=desk.now())
    print(f"{opts.domain}: version {row.version}, the pages of version {opts.version}, {row.tombstones:,} tombstones")
    return loaded(desk, opts.domain, row.version)


def load_latest(desk: Desk, opts: argparse.Namespace) -> int:
    """Start the loader of the latest version, unless it is under way or done. 1: it failed."""
    latest = desk.ledger.read(partial(versions.latest, domain=opts.domain))
    if latest is None:
        raise UsageError(f"{opts.domain} has no published version")
    return loaded(desk, opts.domain, latest.version)


def note_loaded(desk: Desk, opts: argparse.Namespace) -> int:
    """Take in what a loader that goes on by itself says later."""
    told = {"execution": opts.execution, "says": opts.says}
    report(desk.ledger, opts.domain, opts.version, opts.state, **told, now=desk.now())
    print(harmless(f"{opts.domain}: the loader of version {opts.version} is noted as {opts.state}"))
    return 0


def loaded(desk: Desk, domain: str, version: int) -> int:
    """Start the loader of a version, and tell what became of it. 1: it failed."""
    loader = Loader.from_settings(desk.settings)
    row = load(desk.ledger, desk.store, loader, domain, version, clock=desk.now)
    if loader is None:
        print("No loader is named (RORI_CORPUS_LOADER): nothing was started.")
        return 0
    print(harmless(f"Loader: {row.loader_state}{f': {row.loader_says}' if row.loader_says else ''}"))
    return 1 if row.loader_state == "failed" else 0


def compare(desk: Desk, opts: argparse.Namespace) -> int:
    """Name every drift between the latest version and a loader's listing. 1: there are some."""
    manifest = standing(desk.store, opts.domain).manifest
    if manifest is None:
        raise UsageError(f"{opts.domain} has no published version")
    try:
        text = sys.stdin.read() if opts.listing == "-" else Path(opts.listing).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{opts.listing} cannot be read: {error}") from error
    drifts = reconcile(manifest, listed(text.splitlines()))
    write_listing((one._asdict() for one in drifts), DRIFTS, opts.format)
    if opts.format == "table" and not drifts:
        print(f"No drift: the index holds version {manifest.version} of {opts.domain}, and nothing else.")
    return 1 if drifts else 0


def draft(desk: Desk, opts: argparse.Namespace) -> int:
    """Begin a draft of what has changed since the latest version."""
    run = open_draft(desk.ledger, desk.store, desk.catalog, opts.domain, by=desk.by, now=desk.now())
    if run is None:
        if desk.ledger.read(partial(versions.latest, domain=opts.domain)) is None:
            raise UsageError(f"{opts.domain} has no published version: scrapy corpus run {opts.domain}")
        under_way = desk.ledger.read(partial(runs.open_run, domain=opts.domain))
        left = f"its run is under way: {under_way.state}" if under_way else "nothing has changed since it was published"
        print(f"{opts.domain}: {left}")
        return 0
    print(harmless(f"{run.domain}: a draft is begun: {run.says or 'pages that changed are taken anew'}"))
    print(f"Next: scrapy corpus run {run.domain}")
    return 0
