"""Publish a version: checked, numbered, written, pointed at, recorded. Each step can be repeated.

Everything that prevents a version is found before anything is written: documents that are not what their entries
declare, pages whose publishers forbid it, a site so changed that a person must look.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from functools import partial
from hashlib import sha256
from typing import Any

from sqlalchemy import Connection, Row
from sqlalchemy.exc import DBAPIError

from rori_spiders.corpus.documents.document import NotADocument, content_hash, parse_document
from rori_spiders.corpus.publishing.chunk_files import make_chunk_files, tokenizers_of
from rori_spiders.corpus.publishing.current_version import (
    CurrentVersion,
    read_current_version,
    read_version_manifest,
    sync_ledger,
)
from rori_spiders.corpus.publishing.version_manifest import MANIFEST, Manifest, format_manifest, latest_for, latest_path
from rori_spiders.corpus.publishing.version_plan import (
    Entry,
    PublishRequest,
    VersionPlan,
    entries_from_manifest,
    tombstone_file,
)
from rori_spiders.exceptions import DamagedObject, PublishingRefused, StagingError, WriteError
from rori_spiders.ledger.corpus import published_versions, run_states
from rori_spiders.ledger.database import Ledger
from rori_spiders.reviews.corpus_alerts import note_unpublished
from rori_spiders.runtime.plurals import format_count
from rori_spiders.staging.store import Store
from rori_spiders.staging.transfer import CONCURRENT_COPIES

#: Of a version's pages; the issue's own figure: more than that is a site redesigned, not a site that changed.
REDESIGN_SHARE = 1 / 3


def check_publishable(store: Store, request: PublishRequest, entries: Sequence[Entry], before: CurrentVersion) -> None:
    """Raise PublishingRefused with all that is wrong with *entries*. StagingError when nothing can be read."""
    if request.base_version not in {None, before.version}:
        raise PublishingRefused(
            f"version {before.version} was published since version {request.base_version}, on which this run "
            "is based: start another run"
        )
    if not entries:
        raise PublishingRefused("the version has no pages: it would remove the whole corpus")
    with ThreadPoolExecutor(CONCURRENT_COPIES, thread_name_prefix="judging") as threads:
        wrong = [one for some in threads.map(lambda entry: _check_entry(store, entry), entries) for one in some]
    problems = [
        *_check_duplicates(entries),
        *wrong,
        *forbidden_entries(entries),
        *_check_redesign(request, entries, before.manifest),
        *_check_unlisted(request),
    ]
    if problems:
        raise PublishingRefused(*problems)


def forbidden_entries(entries: Sequence[Entry]) -> list[str]:
    """A sentence for each that may not be published."""
    return [
        f"{one.url} may not be published: {'; '.join(one.rights.reasons)}"
        for one in entries
        if one.rights.verdict == "forbidden"
    ]


def count_turnover(entries: Sequence[Entry], former: Manifest) -> tuple[int, int]:
    """How many pages of *former* have another text in *entries*, and how many are not there."""
    now = {one.doc_id: one.content_hash for one in entries}
    changed = sum(one.doc_id in now and now[one.doc_id] != one.content_hash for one in former.pages)
    return changed, sum(one.doc_id not in now for one in former.pages)


def _check_redesign(request: PublishRequest, entries: Sequence[Entry], former: Manifest | None) -> list[str]:
    if former is None or not former.pages or request.reason:
        return []
    changed, gone = count_turnover(entries, former)
    if changed + gone <= len(former.pages) * REDESIGN_SHARE:
        return []
    message = f"of {len(former.pages)} pages {changed} changed and {gone} were removed, more than a third"
    return [f"{message}. Check whether the site was redesigned, then publish with a reason"]


#: URLs of a list that are named.
_MOST_NAMED = 3


def _check_unlisted(request: PublishRequest) -> list[str]:
    if not request.unlisted or request.reason:
        return []
    named = ", ".join(request.unlisted[:_MOST_NAMED]) + (", ..." if len(request.unlisted) > _MOST_NAMED else "")
    what = format_count(len(request.unlisted), "page of the latest version")
    message = f"{what} that no source of the run lists would be removed, and nobody has seen them gone: {named}"
    return [f"{message}. Check whether a source was renamed, paused or never collected, or publish with a reason"]


def _check_duplicates(entries: Sequence[Entry]) -> list[str]:
    ids = Counter(one.doc_id.casefold() for one in entries)
    urls = Counter(one.url for one in entries)
    duplicates = [f"{number} documents have the doc_id {name}" for name, number in ids.items() if number > 1]
    return duplicates + [f"{number} documents belong to {url}" for url, number in urls.items() if number > 1]


def _check_entry(store: Store, entry: Entry) -> list[str]:
    try:
        data = store.get_object(entry.object)
    except FileNotFoundError:
        return [f"{entry.doc_id}: the file, object {entry.object}, is missing"]
    except DamagedObject as error:
        return [f"{entry.doc_id}: {error}"]
    try:
        document = parse_document(data.decode())
    except (NotADocument, UnicodeDecodeError) as error:
        return [f"{entry.doc_id}: the file is not a valid document: {error}"]
    front = document.front
    stated = {"doc_id": front.doc_id, "source_url": front.source_url, "content_hash": front.content_hash}
    wanted = {"doc_id": entry.doc_id, "source_url": entry.url, "content_hash": entry.content_hash}
    differing = [name for name in stated if stated[name] != wanted[name]]
    problems = [f"{entry.doc_id}: the file has {stated[name]} for {name}, not {wanted[name]}" for name in differing]
    if content_hash(front.title, front.description, document.body) != front.content_hash:
        problems.append(f"{entry.doc_id}: content_hash does not match the text")
    return problems


# Publishing a version. Each step can be repeated:
#
#   step  what                                               after a crash behind it
#   1     the ledger reserves a number for these contents    a number; the next attempt at the same contents takes it
#   2     its pages, tombstones, chunks, references         files that nothing names; the next attempt writes the same
#   3     its manifest                                       a whole version that nobody is shown
#   4     `latest`, moved on from what was seen before       published; the ledger records it at the next attempt
#   5     the ledger: the version, and the run with it       nothing
#
# Two processes that publish the same contents both do all of it, and it is done once. Of two that publish different
# contents, one moves `latest`; the other gets an error, and begins again.

#: Numbers that are tried: each is taken where an older ledger was restored, and files of later versions are there.
_NUMBERS = 100


def publish_version(
    ledger: Ledger, store: Store, request: PublishRequest, entries: Iterable[Entry], *, now: datetime
) -> Row[Any]:
    """Publish *entries*, the complete list, as the next version; its row of the ledger. Starts no loader.

    A run is published once: of one that was, this gives the row of the current version, be it a later one.
    Raises PublishingRefused before anything is begun; StagingError and LedgerError when it could not be finished, which
    the same call then does. That is an alert, too.
    """
    before = read_current_version(store, request.domain)
    sync_ledger(ledger, before, now=now)
    ordered = sorted(entries, key=lambda one: one.doc_id)
    left_out = [one for one in ordered if request.leaves_out and one.rights.verdict == "forbidden"]
    plan = VersionPlan(request, before, [one for one in ordered if one not in left_out], left_out)
    if before.manifest is not None and (plan.is_published or _was_published(ledger, request)):
        return _record_version(ledger, before.manifest, now)
    check_publishable(store, request, plan.entries, before)
    chunks = make_chunk_files(store, plan)
    plan = replace(plan, chunk_file=chunks.chunks, chunk_table=chunks.table, reference_file=chunks.references)
    row = None
    try:
        row = _write_version(ledger, store, plan, chunks.files, now)
        return _record_version(ledger, plan.manifest(row), now)
    except (WriteError, OSError) as error:
        version = row.version if row is not None else (before.version or 0) + 1
        with suppress(WriteError, DBAPIError):  # the ledger itself may be what failed
            ledger.write(partial(note_unpublished, domain=request.domain, version=version, says=str(error), now=now))
        raise


def roll_back_version(
    ledger: Ledger,
    store: Store,
    request: PublishRequest,
    *,
    now: datetime,
    judged: Callable[[Sequence[Entry]], Sequence[Entry]] = lambda entries: entries,
) -> Row[Any]:
    """Publish the pages of version ``request.rolled_back_to`` once more, as a new version. A reason must be given.

    *judged* gives the documents their rights as of now; else those of then hold. Raises as ``publish``.
    """
    back = request.rolled_back_to
    if back is None or not request.reason:
        raise PublishingRefused("a rollback needs a version and a reason")
    row = ledger.read(partial(published_versions.find_version, domain=request.domain, version=back))
    if row is None or row.state != published_versions.PUBLISHED:
        raise PublishingRefused(f"{request.domain} has no published version {back}")
    then = read_version_manifest(store, request.domain, back, digest=row.manifest_hash)
    entries = entries_from_manifest(then)
    request = replace(request, tokenizers=tokenizers_of(then))
    for one in entries:
        if not store.has_object(one.object):
            store.put_object(store.domains.read(f"{row.prefix}/pages/{one.doc_id}.md"))
    return publish_version(ledger, store, request, judged(entries), now=now)


def _write_version(
    ledger: Ledger, store: Store, plan: VersionPlan, files: Mapping[str, bytes], now: datetime
) -> Row[Any]:
    """Steps 1 to 4; the row of the version that `latest` names then."""
    request = plan.request
    values = {
        "contents_hash": plan.contents_hash,
        "run_id": request.run_id,
        "rolled_back_to": request.rolled_back_to,
        "approved_by": request.approved_by,
        "approved_at": request.approved_at,
        "published_by": request.published_by,
    }
    for _ in range(_NUMBERS):
        row = ledger.write(partial(published_versions.reserve_version, domain=request.domain, values=values, now=now))
        try:
            _write_files(store, plan, row, files, partial(_require_approval, ledger, row))
        except FileExistsError:
            ledger.write(partial(published_versions.abandon_version, domain=request.domain, version=row.version))
        else:
            return row
    raise StagingError(
        f"{store.location} has versions of {request.domain} that are not in the ledger: run scrapy verify"
    )


def _require_approval(ledger: Ledger, row: Row[Any]) -> None:
    """Raises PublishingRefused, and abandons the version, if the run was withdrawn while it was written."""
    run = ledger.read(partial(run_states.find_run, run_id=row.run_id)) if row.run_id else None
    if run is not None and run.state not in {"approved", "published"}:
        ledger.write(partial(published_versions.abandon_version, domain=row.domain, version=row.version))
        raise PublishingRefused(
            f"the run of {row.domain} is {run.state}: it was changed while version {row.version} was being "
            "written; that version was not published"
        )


def _write_files(
    store: Store, plan: VersionPlan, row: Row[Any], files: Mapping[str, bytes], is_wanted: Callable[[], None]
) -> None:
    manifest = plan.manifest(row)
    with ThreadPoolExecutor(CONCURRENT_COPIES, thread_name_prefix="publishing") as threads:
        for _ in threads.map(lambda work: work(), _file_writers(store, manifest, row.prefix)):
            pass
    for name, contents in files.items():
        store.domains.write_new(f"{row.prefix}/{name}", contents)
    data = format_manifest(manifest)
    store.domains.write_new(f"{row.prefix}/{MANIFEST}", data)
    is_wanted()
    pointer = format_manifest(latest_for(manifest.domain, manifest.version, data))
    if not store.domains.exchange(latest_path(manifest.domain), plan.before.pointer, pointer):
        raise StagingError(
            f"Another version of {manifest.domain} was published while version {manifest.version} was being written; "
            f"version {manifest.version} was not published. Review the published version, then publish again."
        )


def _file_writers(store: Store, manifest: Manifest, prefix: str) -> Iterable[Callable[[], object]]:
    def page(path: str, digest: str) -> None:
        store.domains.write_new(f"{prefix}/{path}", store.get_object(digest))

    for one in manifest.pages:
        yield partial(page, one.path, one.sha256)
    for grave in manifest.tombstones:
        file = tombstone_file(grave.doc_id, grave.source_url, grave.since)
        yield partial(store.domains.write_new, f"{prefix}/{grave.path}", file)


def _was_published(ledger: Ledger, request: PublishRequest) -> bool:
    """Whether a version of this run was current; another may be by now: repeating takes no rollback back."""
    if request.run_id is None:
        return False
    return (
        ledger.read(partial(published_versions.version_of_run, domain=request.domain, run_id=request.run_id))
        is not None
    )


def _record_version(ledger: Ledger, manifest: Manifest, now: datetime) -> Row[Any]:
    """Step 5."""
    digest, pages, tombstones = (
        sha256(format_manifest(manifest)).hexdigest(),
        len(manifest.pages),
        len(manifest.tombstones),
    )

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
