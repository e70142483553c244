"""The files of envelopes read, checked and converted by as many processes as there are cores, in their order.

Reading a million envelopes is 100 s of a processor, and each is read, parsed and written apart from the others.
"""

import signal
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple

from rori_spiders.evidence.export.object_reader import ObjectReader
from rori_spiders.nodes.job_limit import total_cores
from rori_spiders.staging.store import Store
from rori_spiders.staging.store_factory import open_store
from rori_spiders.staging.verification.parallel_reads import map_in_threads
from rori_spiders.workers.multiprocessing_spawn import LeanContext
from rori_spiders.workers.worker import end_with_parent

#: Files that a process takes at a time, and the bytes of them after which it gives what it has: memory, times the
#: processes, times two.
_FILES = 200
_MAX_BYTES = 8_000_000
#: Files that are read here before processes are started, which takes them a second.
_READ_ALONE = 2_000
_MAX_PROCESSES = 8


class EnvelopeFile(NamedTuple):
    """An envelope in the staging area, and the hash that it was staged with."""

    path: str
    file_hash: str


@dataclass(frozen=True, slots=True)
class EnvelopeWork:
    """What is done with each file, in any process: *read* gives rows, *encode* writes at least one of them."""

    staging: str | Path
    read: Callable[[bytes], Iterable[Sequence[Any]]]
    encode: Callable[[Sequence[Any]], Any]


@dataclass(slots=True)
class EncodedEnvelopes:
    """What was made of some files: so many *rows*, as ``encode`` wrote them. *unread*: files that were left to do."""

    rows: int
    encoded: Any  # None without rows
    missing: list[str]
    damaged: list[str]
    unread: list[EnvelopeFile]


def read_envelopes(
    files: Iterable[EnvelopeFile], work: EnvelopeWork, *, in_processes: bool
) -> Generator[EncodedEnvelopes]:
    """What *work* makes of *files*, in their order. *files* are read by this process only.

    *in_processes*: many of them are worked on in a process for each core.

    A file that is missing, or has another hash than it was staged with, is left out and named. Raises StagingError.
    """
    groups = _group_files(iter(files))
    encode = partial(_encode_files, work, open_store(work.staging))
    processes = min(int(total_cores()), _MAX_PROCESSES) if in_processes else 1
    alone = None if processes < 2 else _READ_ALONE // _FILES
    for group in islice(groups, alone):
        yield from _encode_all(group, encode)
    if (first := next(groups, None)) is not None:
        yield from _read_in_processes(chain([first], groups), work, processes)


def _read_in_processes(
    groups: Iterable[list[EnvelopeFile]], work: EnvelopeWork, processes: int
) -> Iterator[EncodedEnvelopes]:
    with ProcessPoolExecutor(processes, LeanContext(), initializer=_prepare_process, initargs=(work,)) as pool:
        waiting = deque[Future[EncodedEnvelopes]]()

        def finish_first() -> Iterator[EncodedEnvelopes]:
            done = waiting.popleft().result()
            yield done
            yield from _encode_all(done.unread, lambda unread: pool.submit(_encode_here, unread).result())

        try:
            for group in groups:
                waiting.append(pool.submit(_encode_here, group))
                if len(waiting) > 2 * processes:
                    yield from finish_first()
            while waiting:
                yield from finish_first()
        finally:
            pool.shutdown(cancel_futures=True)


def _encode_all(
    files: list[EnvelopeFile], encode: Callable[[list[EnvelopeFile]], EncodedEnvelopes]
) -> Iterator[EncodedEnvelopes]:
    while files:
        done = encode(files)
        yield done
        files = done.unread


def _encode_files(work: EnvelopeWork, store: Store, files: list[EnvelopeFile]) -> EncodedEnvelopes:
    """Read *files*, at least one, until they have more bytes than memory is to hold."""
    reader, rows, missing, size, done = ObjectReader(store), list[Sequence[Any]](), list[str](), 0, 0

    def load(file: EnvelopeFile) -> bytes | None:
        return reader.load_envelope(*file)

    with closing(map_in_threads(load, files, threads=store.concurrent_reads)) as loaded:
        for file, data in zip(files, loaded, strict=True):
            done += 1
            if data is not None:
                rows += work.read(data)
                size += len(data)
            elif file.path not in reader.damaged:
                missing.append(file.path)
            if size >= _MAX_BYTES:
                break
    encoded = work.encode(rows) if rows else None
    return EncodedEnvelopes(len(rows), encoded, missing, sorted(reader.damaged), files[done:])


def _group_files(files: Iterator[EnvelopeFile]) -> Iterator[list[EnvelopeFile]]:
    while group := list(islice(files, _FILES)):
        yield group


# --- in each process ------------------------------------------------------------------------------------------------

_encode: Callable[[list[EnvelopeFile]], EncodedEnvelopes]


def _prepare_process(work: EnvelopeWork) -> None:
    global _encode
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # its parent decides
    threading.Thread(target=end_with_parent, daemon=True).start()
    _encode = partial(_encode_files, work, open_store(work.staging))


def _encode_here(files: list[EnvelopeFile]) -> EncodedEnvelopes:
    return _encode(files)
