"""Publish versions and start loaders for `scrapy corpus publish`, `rollback`, `load`, `reconcile` and `delta`.

Site rules may allow a delta run to be published without review.
"""

import argparse
import sys
from functools import partial
from pathlib import Path

from rori_spiders.corpus.publishing.current_version import read_current_version
from rori_spiders.corpus.publishing.loader_runner import Loader, report_load, start_loader
from rori_spiders.corpus.publishing.reconciliation import parse_listing, reconcile_listing
from rori_spiders.corpus.publishing.version_plan import PublishRequest
from rori_spiders.corpus.runs import publication
from rori_spiders.corpus.runs.delta_drafts import open_draft
from rori_spiders.corpus.runs.run import DELTA, MACHINES
from rori_spiders.corpus.runs.unattended_publishing import publish_unattended
from rori_spiders.corpus.site_rules import parse_site_rules
from rori_spiders.exceptions import ActionRefused
from rori_spiders.ledger.corpus import published_versions, run_states
from rori_spiders.ledger.corpus.run_states import CorpusRun
from rori_spiders.runtime.control_characters import escape_one_line
from rori_spiders.runtime.plurals import format_count
from rori_spiders.terminal.corpus.session import CorpusSession
from rori_spiders.terminal.listing import Column, print_hint, write_listing

DRIFT_COLUMNS = (Column("doc_id", "document"), Column("kind", "drift"), Column("says", "what"))


def publish_run(session: CorpusSession, opts: argparse.Namespace) -> int:
    """Publish the approved run of a domain (or finish publishing it) and start its loader. 1: the loader failed."""
    run = session.open_run(opts.domain) or session.newest_run(opts.domain)
    row = publication.publish_run(session.work(run), by=session.by, reason=opts.reason, leaves_out=opts.skip_restricted)
    print(f"{opts.domain}: version {row.version}, {row.pages:,} pages, {row.tombstones:,} tombstones")
    _print_missing_references(session, opts.domain)
    return load_version(session, opts.domain, row.version)


def roll_back_version(session: CorpusSession, opts: argparse.Namespace) -> int:
    """Publish the pages of an older version as a new one. 1: the loader failed."""
    request = PublishRequest(opts.domain, session.by, rolled_back_to=opts.version, reason=opts.reason)
    sources = {one.id: one for one in session.catalog.sources}  # those of its runs may have other ids by now
    row = publication.roll_back(session.ledger, session.store, sources, request, now=session.now())
    print(f"{opts.domain}: version {row.version}, the pages of version {opts.version}, {row.tombstones:,} tombstones")
    _print_missing_references(session, opts.domain)
    return load_version(session, opts.domain, row.version)


def _print_missing_references(session: CorpusSession, domain: str) -> None:
    manifest = read_current_version(session.store, domain).manifest
    references = manifest.references if manifest is not None else None
    if references is not None and (missing := references.resolutions["missing"]):
        how = f"scrapy corpus references {domain} --resolution missing"
        print_hint(f"{format_count(missing, 'reference')} to what is not there: {how}")


def load_latest(session: CorpusSession, opts: argparse.Namespace) -> int:
    """Start the loader for the latest version, unless it is running or done. 1: it failed."""
    latest = session.ledger.read(partial(published_versions.latest_version, domain=opts.domain))
    if latest is None:
        raise ActionRefused(f"{opts.domain} has no published version yet. Run scrapy corpus publish {opts.domain}")
    return load_version(session, opts.domain, latest.version)


def record_load_report(session: CorpusSession, opts: argparse.Namespace) -> int:
    """Record the result that an external loader reports."""
    details = {"execution": opts.execution_id, "says": opts.message}
    report_load(session.ledger, opts.domain, opts.version, opts.state, **details, now=session.now())
    print(escape_one_line(f"{opts.domain}: recorded the loader of version {opts.version} as {opts.state}"))
    return 0


def load_version(session: CorpusSession, domain: str, version: int) -> int:
    """Start the loader for a version and print its result. 1: it failed."""
    loader = Loader.from_settings(session.settings)
    row = start_loader(session.ledger, session.store, loader, domain, version, clock=session.now)
    if loader is None:
        print("No loader is configured (RORI_CORPUS_LOADER); none was started.")
        return 0
    print(escape_one_line(f"Loader: {row.loader_state}{f': {row.loader_says}' if row.loader_says else ''}"))
    return 1 if row.loader_state == published_versions.LOADER_FAILED else 0


def compare_with_listing(session: CorpusSession, opts: argparse.Namespace) -> int:
    """List the differences between the latest version and a loader's listing. 1: there are some."""
    manifest = read_current_version(session.store, opts.domain).manifest
    if manifest is None:
        raise ActionRefused(f"{opts.domain} has no published version yet. Run scrapy corpus publish {opts.domain}")
    try:
        text = sys.stdin.read() if opts.listing == "-" else Path(opts.listing).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ActionRefused(f"cannot read {opts.listing}: {error}") from error
    drifts = reconcile_listing(manifest, parse_listing(text.splitlines()))
    write_listing((one._asdict() for one in drifts), DRIFT_COLUMNS, opts.format)
    if opts.format == "table" and not drifts:
        print(f"No drift: the index holds version {manifest.version} of {opts.domain}, and nothing else.")
    return 1 if drifts else 0


def start_draft(session: CorpusSession, opts: argparse.Namespace) -> int:
    """Start a draft of the changes since the latest version."""
    run = open_draft(session.ledger, session.store, session.catalog, opts.domain, by=session.by, now=session.now())
    if run is None:
        if session.ledger.read(partial(published_versions.latest_version, domain=opts.domain)) is None:
            raise ActionRefused(f"{opts.domain} has no published version: scrapy corpus run {opts.domain}")
        under_way = session.ledger.read(partial(run_states.find_open_run, domain=opts.domain))
        left = f"a run is in progress ({under_way.state})" if under_way else "no changes since the latest version"
        print(f"{opts.domain}: {left}")
        return 0
    print(escape_one_line(f"{run.domain}: draft started: {run.says or 'changed pages are scraped again'}"))
    print_hint(f"Next: scrapy corpus run {run.domain}")
    return 0


# Publish a draft without review where the current site rules allow it.

_MOST_SHOWN = 12


def publish_if_allowed(session: CorpusSession, run: CorpusRun) -> int:
    """Publish *run* and start its loader, or print why it waits. 1: the loader failed. Raises StagingError, UsageError.

    The rules file decides, not the rules that the run started with, so that a withdrawn permission takes effect.
    """
    if (run.state, run.kind) != ("ready_for_review", DELTA) or run.requested_by not in MACHINES:
        return 0
    rules = parse_site_rules(session.rules_text(run.domain), f"site rules of {run.domain}").unattended
    if rules is None:
        return 0
    row, why = publish_unattended(session.work(run), rules)
    if row is None:
        print("Not published without review:")
        print(*(escape_one_line(f"  {one}") for one in why[:_MOST_SHOWN]), sep="\n")
        return 0
    print(f"{run.domain}: version {row.version} published without review, as its site rules allow")
    return load_version(session, run.domain, row.version)
