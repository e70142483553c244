"""Copy a staging area to another one, of either kind, so that the same ledger can continue with it.

In: a ledger, its staging area, and a target that is empty or holds an earlier copy. Objects, summaries and envelopes
first, then the lines that name them: a reader of the target's index never meets a line without its file. Last what
the ingestion side has confirmed, the wrong lines too. Each file is read back from the target and compared. It can be
interrupted, and repeated: what is there is only compared.
"""

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from itertools import islice

from sqlalchemy import Connection, select

from rori_spiders.exceptions import DamagedObject, StagingError
from rori_spiders.ledger.audit import error_log
from rori_spiders.ledger.database import Ledger
from rori_spiders.ledger.staged_envelopes import list_index_lines
from rori_spiders.ledger.tables import envelopes
from rori_spiders.staging.layout import domain_kind
from rori_spiders.staging.ledger_logs import line_digest, render_line
from rori_spiders.staging.recovery import find_live_jobs, recover_staging
from rori_spiders.staging.retention import import_confirmations
from rori_spiders.staging.store import Log, LogLine, Store

#: Concurrent copies: a bucket takes some 20 ms for each, and handles all of them in parallel.
CONCURRENT_COPIES = 8
#: Lines of the logs that are written together.
LINES_PER_BATCH = 1_000
#: The run whose lines the copied ones are, where a store keeps lines by run.
COPY_RUN_ID = "copied"


@dataclass(frozen=True, slots=True)
class CopyResult:
    """Numbers of files or lines of one kind; *damaged*: those that do not match their names."""

    what: str
    copied: int
    there: int  # copied before
    damaged: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


def copy_staging_area(ledger: Ledger, source: Store, target: Store, now: datetime) -> Iterator[CopyResult]:
    """Copy everything; yield a result for each kind. Raises StagingError and LedgerError.

    First it finishes, as each job does, what dead jobs left in *source*, and takes in what was confirmed there. A job
    that is running is refused: what it writes meanwhile would be missed.
    """
    with ledger.connect() as conn:
        running = find_live_jobs(conn, now)
    if running:
        raise StagingError(
            f"A job is running ({', '.join(sorted(running))}): files it writes now would not be copied. Wait "
            "until it ends, start no other job, and run this again."
        )
    recover_staging(ledger, source, now)
    import_confirmations(ledger, source, now)
    check_target(ledger, source, target)
    yield copy_objects(source, target)
    yield copy_summaries(source, target)
    copied = copy_envelopes(source, target, source.paths())
    if copied.missing:
        raise StagingError(f"{copied.missing[0]} was removed from {source.location} meanwhile. Run this again.")
    yield copied
    yield copy_corpora(source, target)
    yield from copy_lines(ledger, source, target)


def copy_objects(source: Store, target: Store) -> CopyResult:
    """Copy every object: nobody ever removes one."""
    return _copy_all("objects", source.objects(), lambda digest: _copy_object(source, target, digest))


def copy_summaries(source: Store, target: Store) -> CopyResult:
    """Copy every crawl summary."""
    return _copy_all("summaries", source.summaries(), lambda path: _copy_summary(source, target, path))


def copy_envelopes(source: Store, target: Store, paths: Iterable[str]) -> CopyResult:
    """Copy the envelopes at *paths*; one that is not there is *missing*."""
    return _copy_all("envelopes", paths, lambda path: _copy_envelope(source, target, path))


def copy_lines(ledger: Ledger, source: Store, target: Store) -> Iterator[CopyResult]:
    """Copy the lines of all logs, those of the index and of the error log in the order that *ledger* has."""
    yield _copy_log("index lines", source.index, target.index, ledger, list_index_lines)
    yield _copy_log("error lines", source.errors, target.errors, ledger, _list_error_lines)
    yield _append_missing_lines("field lines", source.fields.lines(), target.fields.lines(), target.fields.append)
    yield _append_missing_lines(
        "confirmations",
        _read_confirmations(source),
        _read_confirmations(target),
        lambda lines: target.append_confirmations([line.text for line in lines]),
    )


def check_target(ledger: Ledger, source: Store, target: Store) -> None:
    """Refuse a target that holds anything but a copy of *source*."""
    if source.location == target.location:
        raise StagingError(f"{target.location} is the staging area itself. Choose another destination.")
    target.check_writable()
    for stray in target.strays():
        if not stray.startswith("_tmp/"):
            raise _holds_others(target, stray)
    for path in target.paths():
        with ledger.connect() as conn:
            is_known = conn.execute(select(envelopes.c.path).where(envelopes.c.path == path)).one_or_none() is not None
        if not is_known and not source.exists(path):
            raise _holds_others(target, path)


def _holds_others(target: Store, path: str) -> StagingError:
    return StagingError(
        f"{target.location} contains other files, such as {path}. Copy to an empty location, or to an earlier "
        "copy of this staging area."
    )


def _copy_all(what: str, names: Iterable[str], copy_one: Callable[[str], str]) -> CopyResult:
    """Copy files in parallel, without holding all of their names in memory."""
    found: Counter[str] = Counter()
    waiting: deque[tuple[str, Future[str]]] = deque()
    left: dict[str, list[str]] = {"damaged": [], "missing": []}
    with ThreadPoolExecutor(CONCURRENT_COPIES, thread_name_prefix="copying") as threads:
        remaining = iter(names)
        while waiting or (waiting := deque((name, threads.submit(copy_one, name)) for name in islice(remaining, 256))):
            name, done = waiting.popleft()
            try:
                became = done.result()
            except BaseException:
                threads.shutdown(wait=True, cancel_futures=True)
                raise
            found[became] += 1
            if became in left:
                left[became].append(name)
    return CopyResult(what, found["copied"], found["there"], tuple(left["damaged"]), tuple(left["missing"]))


def _copy_object(source: Store, target: Store, digest: str) -> str:
    """Copy one object and return the result; reading checks its hash on both sides."""
    try:
        target.get_object(digest)
    except FileNotFoundError:
        pass
    else:
        return "there"
    try:
        data = source.get_object(digest)
    except DamagedObject:
        return "damaged"
    target.put_object(data)
    target.get_object(digest)
    return "copied"


def _copy_envelope(source: Store, target: Store, path: str) -> str:
    try:
        data = source.read(path)
    except FileNotFoundError:
        return "missing"
    return _copy_file(target, path, data, target.read, target.write_envelope)


def _copy_summary(source: Store, target: Store, path: str) -> str:
    data = source.read_summary(path)
    return _copy_file(target, path, data, target.read_summary, target.write_summary)


def copy_corpora(source: Store, target: Store) -> CopyResult:
    """Copy corpora: files of runs and versions; a version's manifest after its pages, and `latest` last.

    What is published meanwhile is left to the next copy: `latest` is that of the beginning.
    """
    latest = {path: source.domains.read(path) for path in source.domains.paths() if domain_kind(path) == "latest"}
    manifests = [path for path in source.domains.paths() if _is_manifest(path)]
    others = (path for path in source.domains.paths() if path not in latest and not _is_manifest(path))
    parts = (
        _copy_all("corpus files", others, lambda path: _copy_corpus_file(source, target, path)),
        _copy_all("corpus files", manifests, lambda path: _copy_corpus_file(source, target, path)),
        _copy_all("corpus files", latest, lambda path: _copy_latest(target, path, latest[path])),
    )
    return CopyResult("corpus files", sum(one.copied for one in parts), sum(one.there for one in parts))


def _is_manifest(path: str) -> bool:
    return domain_kind(path) == "version" and path.endswith("/manifest.json") and path.count("/") == 4


def _copy_corpus_file(source: Store, target: Store, path: str) -> str:
    data = source.domains.read(path)
    if domain_kind(path) == "run" and _read_existing(target, path) not in {None, data}:
        target.domains.replace(path, data)
    return _copy_file(target, path, data, target.domains.read, target.domains.write_new)


def _copy_latest(target: Store, path: str, data: bytes) -> str:
    before = _read_existing(target, path)
    if not target.domains.exchange(path, before, data):
        raise StagingError(f"{path} in {target.location} was changed by another process. Run this again.")
    return "there" if before == data else "copied"


def _read_existing(target: Store, path: str) -> bytes | None:
    try:
        return target.domains.read(path)
    except FileNotFoundError:
        return None


def _copy_file(
    target: Store,
    path: str,
    data: bytes,
    read: Callable[[str], bytes],
    write: Callable[[str, bytes], object],
) -> str:
    try:
        there = read(path)
    except FileNotFoundError:
        write(path, data)
        became, there = "copied", read(path)
    else:
        became = "there"
    if there != data:
        raise StagingError(
            f"{path} in {target.location} differs from the file in this staging area. Copy to an empty location, "
            "or find out which one is correct (scrapy verify)."
        )
    return became


def _read_confirmations(store: Store) -> Iterator[str]:
    return (line for lines, _ in store.confirmations("") for line in lines if line.strip())


def _copy_log(
    what: str, source: Log, target: Log, ledger: Ledger, list_recorded: Callable[[Connection], Iterable[str]]
) -> CopyResult:
    """Copy a log whose lines the ledger recorded in the order of *list_recorded*; unknown lines come last.

    A bucket lists its lines run by run, and the names of runs are random: one sequence needs their true order.
    """
    lines: Iterable[str] = source.lines()
    if target.is_one_sequence and not source.is_one_sequence:
        with ledger.connect() as conn:
            places = {line_digest(text): number for number, text in enumerate(list_recorded(conn))}
        lines = sorted(lines, key=lambda text: places.get(line_digest(text), len(places)))
    return _append_missing_lines(what, lines, target.lines(), target.append)


def _list_error_lines(conn: Connection) -> Iterator[str]:
    return (render_line(line).text for line in error_log.load_all_lines(conn))


def _append_missing_lines(
    what: str, lines: Iterable[str], there: Iterable[str], append: Callable[[Sequence[LogLine]], None]
) -> CopyResult:
    """Append the lines that are not there yet, in their order."""
    known = Counter(there)
    batch: list[LogLine] = []
    copied = found = 0
    for text in lines:
        if known[text] > 0:
            known[text] -= 1
            found += 1
            continue
        batch.append(LogLine(COPY_RUN_ID, text))
        copied += 1
        if len(batch) == LINES_PER_BATCH:
            append(batch)
            batch = []
    append(batch)
    return CopyResult(what, copied, found)
