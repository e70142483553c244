"""A version, published: judged, numbered, written, pointed at, recorded. Each step can be repeated.

====  ==================================================  ======================================================
step  what                                                a crash after it leaves
====  ==================================================  ======================================================
1     the ledger reserves a number for these contents     a number; the next attempt at the same takes it up
2     its pages and tombstones, each written once         files that nothing names; the same are written again
3     its manifest                                        a whole version that nobody is shown
4     `latest`, moved on from what was seen before        the version is published; the ledger learns it next time
5     the ledger: published, and the run with it          nothing
====  ==================================================  ======================================================

Of two at once that publish the same, both do all of it, and it is done once. Of two that publish other things, one
moves `latest`; the other is told so, and begins anew.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from sqlalchemy.exc import DBAPIError

from rori_spiders.corpus.publishing.entries import entries_of
from rori_spiders.corpus.publishing.judging import judge
from rori_spiders.corpus.publishing.planning import Plan, tombstone_file
from rori_spiders.corpus.publishing.standing import manifest_of, settle, standing
from rori_spiders.corpus.publishing.version import MANIFEST, latest_of, latest_path, written
from rori_spiders.exceptions import PublishingRefused, StagingError, WriteError
from rori_spiders.ledger.corpus import published_versions, run_states
from rori_spiders.reviews.corpus_alerts import note_unpublished
from rori_spiders.staging.transfer import CONCURRENT_COPIES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from datetime import datetime

    from sqlalchemy import Connection, Row

    from rori_spiders.corpus.publishing.entries import Entry, Request
    from rori_spiders.corpus.publishing.version import Manifest
    from rori_spiders.ledger.database import Ledger
    from rori_spiders.staging.store import Store

#: Numbers that are tried: each is taken where an older ledger was restored, and files of later versions are there.
_NUMBERS = 100


def publish(ledger: Ledger, store: Store, request: Request, entries: Iterable[Entry], *, now: datetime) -> Row[Any]:
    """Publish *entries*, the complete list, as the next version; its row of the ledger. Starts no loader.

    A run is published once: of one that was, this gives the row of the version in force, be it a later one.
    Raises PublishingRefused before anything is begun; StagingError and LedgerError when it could not be finished, which
    the same call then does. That is an alert, too.
    """
    before = standing(store, request.domain)
    settle(ledger, before, now=now)
    ordered = sorted(entries, key=lambda one: one.doc_id)
    left_out = [one for one in ordered if request.leaves_out and one.rights.verdict == "forbidden"]
    plan = Plan(request, before, [one for one in ordered if one not in left_out], left_out)
    if before.manifest is not None and (plan.is_published or _was_published(ledger, request)):
        return _recorded(ledger, before.manifest, now)
    judge(store, request, plan.entries, before)
    row = None
    try:
        row = _written(ledger, store, plan, now)
        return _recorded(ledger, plan.manifest(row), now)
    except (WriteError, OSError) as error:
        _tell(ledger, request.domain, row.version if row is not None else (before.version or 0) + 1, error, now)
        raise


def rollback(
    ledger: Ledger,
    store: Store,
    request: Request,
    *,
    now: datetime,
    judged: Callable[[Sequence[Entry]], Sequence[Entry]] = lambda entries: entries,
) -> Row[Any]:
    """Publish the pages of version ``request.rolled_back_to`` once more, as a new version. A reason must be given.

    *judged* gives the documents their rights as of now; else those of then hold. Raises as ``publish``.
    """
    back = request.rolled_back_to
    if back is None or not request.reason:
        raise PublishingRefused("a rollback names the version whose pages are wanted, and the reason")
    row = ledger.read(partial(published_versions.find_version, domain=request.domain, version=back))
    if row is None or row.state != published_versions.PUBLISHED:
        raise PublishingRefused(f"{request.domain} has no published version {back}")
    entries = entries_of(manifest_of(store, request.domain, back, digest=row.manifest_hash))
    for one in entries:
        if not store.has_object(one.object):
            store.put_object(store.domains.read(f"{row.prefix}/pages/{one.doc_id}.md"))
    return publish(ledger, store, request, judged(entries), now=now)


def _written(ledger: Ledger, store: Store, plan: Plan, now: datetime) -> Row[Any]:
    """Steps 1 to 4; the row of the version that `latest` names then."""
    asked = plan.request
    values = {
        "contents_hash": plan.contents_hash,
        "run_id": asked.run_id,
        "rolled_back_to": asked.rolled_back_to,
        "approved_by": asked.approved_by,
        "approved_at": asked.approved_at,
        "published_by": asked.published_by,
    }
    for _ in range(_NUMBERS):
        row = ledger.write(partial(published_versions.reserve_version, domain=asked.domain, values=values, now=now))
        try:
            _write(store, plan, row, partial(_is_still_approved, ledger, row))
        except FileExistsError:
            ledger.write(partial(published_versions.abandon_version, domain=asked.domain, version=row.version))
        else:
            return row
    raise StagingError(f"{store.location} holds other versions of {asked.domain} than the ledger knows: scrapy verify")


def _is_still_approved(ledger: Ledger, row: Row[Any]) -> None:
    """Raises PublishingRefused, and gives the number up, when somebody has taken the run back while it was written."""
    run = ledger.read(partial(run_states.find_run, run_id=row.run_id)) if row.run_id else None
    if run is not None and run.state not in {"approved", "published"}:
        ledger.write(partial(published_versions.abandon_version, domain=row.domain, version=row.version))
        raise PublishingRefused(
            f"the run of {row.domain} is {run.state}: somebody has moved it while version {row.version} was being "
            "written, which nobody has been shown"
        )


def _write(store: Store, plan: Plan, row: Row[Any], is_wanted: Callable[[], None]) -> None:
    manifest = plan.manifest(row)
    with ThreadPoolExecutor(CONCURRENT_COPIES, thread_name_prefix="publishing") as threads:
        for _ in threads.map(lambda work: work(), _files(store, manifest, row.prefix)):
            pass
    data = written(manifest)
    store.domains.write_new(f"{row.prefix}/{MANIFEST}", data)
    is_wanted()
    pointer = written(latest_of(manifest.domain, manifest.version, data))
    if not store.domains.exchange(latest_path(manifest.domain), plan.before.pointer, pointer):
        raise StagingError(
            f"Another version of {manifest.domain} was published while version {manifest.version} was being written, "
            "which nobody has been shown. Look at what is published now, then publish again."
        )


def _files(store: Store, manifest: Manifest, prefix: str) -> Iterable[Callable[[], object]]:
    def page(path: str, digest: str) -> None:
        store.domains.write_new(f"{prefix}/{path}", store.get_object(digest))

    for one in manifest.pages:
        yield partial(page, one.path, one.sha256)
    for grave in manifest.tombstones:
        file = tombstone_file(grave.doc_id, grave.source_url, grave.since)
        yield partial(store.domains.write_new, f"{prefix}/{grave.path}", file)


def _was_published(ledger: Ledger, request: Request) -> bool:
    """Whether a version of this run was in force; another may be by now: repeating takes no rollback back."""
    if request.run_id is None:
        return False
    return (
        ledger.read(partial(published_versions.version_of_run, domain=request.domain, run_id=request.run_id))
        is not None
    )


def _recorded(ledger: Ledger, manifest: Manifest, now: datetime) -> Row[Any]:
    """Step 5."""
    digest, pages, tombstones = sha256(written(manifest)).hexdigest(), len(manifest.pages), len(manifest.tombstones)

    def record(conn: Connection) -> Row[Any]:
        domain, version = manifest.domain, manifest.version
        row = published_versions.find_version(conn, domain, version)
        if row is not None and row.state != published_versions.PUBLISHED:
            published_versions.mark_published(
                conn, domain, version, manifest_hash=digest, pages=pages, tombstones=tombstones, now=now
            )
        run = run_states.find_run(conn, manifest.run_id) if manifest.run_id else None
        if run is not None and run.state == "approved":
            run_states.move_run(conn, run, "published", now=now, ends=True)
        row = published_versions.find_version(conn, domain, version)
        assert row is not None
        return row

    return ledger.write(record)


def _tell(ledger: Ledger, domain: str, version: int, error: Exception, now: datetime) -> None:
    with suppress(WriteError, DBAPIError):  # the ledger itself may be what failed
        ledger.write(partial(note_unpublished, domain=domain, version=version, says=str(error), now=now))
