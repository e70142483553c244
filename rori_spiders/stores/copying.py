"""A staging area copied to another, of either kind, so that the same ledger goes on with it.

In: a ledger, its staging area, and a target that is empty or holds an earlier copy. Objects, summaries and envelopes
first, then the lines that name them: whoever follows the target's index never meets a line without its file. Last what
the ingestion side has confirmed, the wrong lines too. Each file is read back from the target and compared. It can be
interrupted, and repeated: what is there is only compared.
"""

from __future__ import annotations

from collections import Counter, deque
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from sqlalchemy import select

from rori_spiders.exceptions import DamagedObject, StagingError
from rori_spiders.ledger.tables import envelopes
from rori_spiders.stores.base import LogLine
from rori_spiders.stores.confirmations import take_in
from rori_spiders.stores.layout import domain_kind
from rori_spiders.stores.recovery import live_jobs, recover

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from datetime import datetime

    from rori_spiders.ledger.database import Ledger
    from rori_spiders.stores.base import Store

#: Files on their way at once: a bucket answers each in some 20 ms, and all of them side by side.
AT_ONCE = 8
#: Lines of the logs that are written together.
LINES = 1_000
#: The run whose lines the copied ones are, where a store keeps lines by run.
RUN = "copied"


@dataclass(frozen=True, slots=True)
class Copied:
    """How many files or lines of one kind; *damaged* are those that could not be read as their names say."""

    what: str
    copied: int
    there: int  # copied before
    damaged: tuple[str, ...] = ()


def copy(ledger: Ledger, source: Store, target: Store, now: datetime) -> Iterator[Copied]:
    """Copy everything; gives what was done, kind by kind. Raises StagingError, and LedgerError.

    First it finishes, as each job does, what dead jobs left in *source*, and takes in what was confirmed there. A job
    that is running is refused: what it writes meanwhile would be missed.
    """
    _refuse_jobs(ledger, now)
    recover(ledger, source, now)
    take_in(ledger, source, now)
    _check_target(ledger, source, target)
    yield _copied("objects", source.objects(), lambda digest: _object(source, target, digest))
    yield _copied("summaries", source.summaries(), lambda path: _summary(source, target, path))
    yield _copied("envelopes", source.paths(), lambda path: _envelope(source, target, path))
    yield _corpora(source, target)
    yield _lines("index lines", source.index_lines(), target.index_lines(), target.append_index)
    yield _lines("error lines", source.error_lines(), target.error_lines(), target.append_errors)
    yield _lines("field lines", source.field_lines(), target.field_lines(), target.append_fields)
    yield _lines(
        "confirmations",
        _confirmed(source),
        _confirmed(target),
        lambda lines: target.append_confirmations([line.text for line in lines]),
    )


def _refuse_jobs(ledger: Ledger, now: datetime) -> None:
    with ledger.connect() as conn:
        running = live_jobs(conn, now)
    if running:
        raise StagingError(
            f"A job is running ({', '.join(sorted(running))}): what it writes meanwhile would not be copied. Wait "
            "until it has ended, keep others from beginning, and run this again."
        )


def _check_target(ledger: Ledger, source: Store, target: Store) -> None:
    """Refuse a target that holds anything but a copy of *source*."""
    if source.location == target.location:
        raise StagingError(f"{target.location} is the staging area itself: name another place to copy it to.")
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
        f"{target.location} holds other things, {path} for one: copy to an empty place, or to an earlier copy of this "
        "staging area."
    )


def _copied(what: str, names: Iterable[str], copy_one: Callable[[str], str]) -> Copied:
    """Copy them side by side, without holding all of their names."""
    found: Counter[str] = Counter()
    damaged, waiting = [], deque()  # type: ignore[var-annotated]
    with ThreadPoolExecutor(AT_ONCE, thread_name_prefix="copying") as threads:
        remaining = iter(names)
        while waiting or (waiting := deque((name, threads.submit(copy_one, name)) for name in islice(remaining, 256))):
            name, done = waiting.popleft()
            try:
                became = done.result()
            except BaseException:
                threads.shutdown(wait=True, cancel_futures=True)
                raise
            found[became] += 1
            if became == "damaged":
                damaged.append(name)
    return Copied(what, found["copied"], found["there"], tuple(damaged))


def _object(source: Store, target: Store, digest: str) -> str:
    """What became of one; reading checks its hash, on both sides."""
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


def _envelope(source: Store, target: Store, path: str) -> str:
    data = source.read(path)
    return _file(target, path, data, target.read, target.write_envelope)


def _summary(source: Store, target: Store, path: str) -> str:
    data = source.read_summary(path)
    return _file(target, path, data, target.read_summary, target.write_summary)


def _corpora(source: Store, target: Store) -> Copied:
    """What was published and what runs work on; a version's manifest after its pages, and `latest` after that.

    What is published meanwhile is left to the next copy: `latest` is that of the beginning.
    """
    latest = {path: source.domains.read(path) for path in source.domains.paths() if domain_kind(path) == "latest"}
    manifests = [path for path in source.domains.paths() if _is_manifest(path)]
    others = (path for path in source.domains.paths() if path not in latest and not _is_manifest(path))
    parts = (
        _copied("corpus files", others, lambda path: _of_corpus(source, target, path)),
        _copied("corpus files", manifests, lambda path: _of_corpus(source, target, path)),
        _copied("corpus files", latest, lambda path: _latest(target, path, latest[path])),
    )
    return Copied("corpus files", sum(one.copied for one in parts), sum(one.there for one in parts))


def _is_manifest(path: str) -> bool:
    return domain_kind(path) == "version" and path.endswith("/manifest.json") and path.count("/") == 4


def _of_corpus(source: Store, target: Store, path: str) -> str:
    data = source.domains.read(path)
    if domain_kind(path) == "run" and _held(target, path) not in {None, data}:
        target.domains.replace(path, data)
    return _file(target, path, data, target.domains.read, target.domains.write_new)


def _latest(target: Store, path: str, data: bytes) -> str:
    before = _held(target, path)
    if not target.domains.exchange(path, before, data):
        raise StagingError(f"{path} in {target.location} was changed by another process. Run this again.")
    return "there" if before == data else "copied"


def _held(target: Store, path: str) -> bytes | None:
    try:
        return target.domains.read(path)
    except FileNotFoundError:
        return None


def _file(
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
            f"{path} in {target.location} is not the file of this staging area: copy to an empty place, or find out "
            "which of the two is right (scrapy verify)."
        )
    return became


def _confirmed(store: Store) -> Iterator[str]:
    return (line for lines, _ in store.confirmations("") for line in lines if line.strip())


def _lines(
    what: str, lines: Iterable[str], there: Iterable[str], append: Callable[[Sequence[LogLine]], None]
) -> Copied:
    """Append the lines that are not there yet, in their order."""
    known = Counter(there)
    batch: list[LogLine] = []
    copied = found = 0
    for text in lines:
        if known[text] > 0:
            known[text] -= 1
            found += 1
            continue
        batch.append(LogLine(RUN, text))
        copied += 1
        if len(batch) == LINES:
            append(batch)
            batch = []
    append(batch)
    return Copied(what, copied, found)
