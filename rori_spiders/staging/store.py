"""The interface of every store. Paths are relative to the staging area, hashes hex SHA-256, lines without newline."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol


@dataclass(frozen=True, slots=True)
class RemovedRemnant:
    """Remnants of a crash that were removed."""

    torn: tuple[str, ...] = ()  # files whose torn last line was cut
    temporary: int = 0  # unfinished files that were removed


class LogLine(NamedTuple):
    """A line of the index or the error log with its run; of the log of fields with its source."""

    run_id: str
    text: str


class Log(Protocol):
    """A file of lines that several processes append to. Raises StagingError as its store does."""

    @property
    def is_one_sequence(self) -> bool:
        """Whether lines stand in the order in which they were appended; else only those of one run do."""

    def append(self, lines: Sequence[LogLine]) -> None:
        """Append lines; on return they are durable."""

    def append_missing(self, lines: Sequence[LogLine]) -> int:
        """Append, atomically, those of *lines* that this log does not have; return their number."""

    def lines(self) -> Iterator[str]:
        """Return the complete lines, without a truncated last one."""

    def places(self) -> Iterator[tuple[str, str]]:
        """Return the lines with their locations: ``_index.jsonl:7``."""


class DomainFiles(Protocol):
    """The files below ``domains/`` in a staging area: ``domains/{domain}/...``; ``layout.py`` has the layout.

    Each method raises StagingError for a path of another layout, and when the staging area cannot be read or written.
    """

    def write_new(self, path: str, data: bytes) -> bool:
        """Write a whole new file; False when it is there already. FileExistsError when other bytes are there."""

    def replace(self, path: str, data: bytes) -> None:
        """Put *data* where a working file of a run stands, or nothing: a reader sees the one or the other, whole."""

    def exchange(self, path: str, before: bytes | None, data: bytes) -> bool:
        """Move a ``latest`` on: put *data* where *before* stands (None: nothing), as one step for all processes.

        False, and nothing is changed, when other bytes stand there; True when *data* stands there already.
        """

    def read(self, path: str) -> bytes:
        """The bytes of a file. Raises FileNotFoundError."""

    def paths(self, below: str = "domains") -> Iterator[str]:
        """The paths of all files in the folder *below* and under it, in an order that is always the same."""

    def strays(self) -> Iterator[str]:
        """Return the paths of files that do not belong there."""


class Store(Protocol):
    """A staging area. Every method may be called from any thread or process, several at once.

    Methods raise StagingError, in a sentence for a person, when the staging area cannot be read or written.
    """

    @property
    def location(self) -> str:
        """The location for messages."""

    #: How many reads to have under way where there are many to do; 1 where threads would gain nothing.
    concurrent_reads: int

    @property
    def index(self) -> Log: ...

    @property
    def errors(self) -> Log: ...

    @property
    def fields(self) -> Log: ...

    @property
    def domains(self) -> DomainFiles:
        """The files of corpora."""

    def check_writable(self) -> None:
        """Raise StagingError when a page could not be staged now. Leaves nothing except an empty staging area."""

    def put_object(self, data: bytes) -> str:
        """Store *data* once and return its hash."""

    def put_objects(self, objects: Sequence[bytes]) -> list[str]:
        """Store each once; on return all are there for good. Their hashes, in the same order."""

    def get_object(self, digest: str) -> bytes:
        """The bytes with this hash. Raises FileNotFoundError; StagingError when what is there has another hash."""

    def has_object(self, digest: str) -> bool: ...

    def objects(self) -> Iterator[str]:
        """The hashes of all objects, in order."""

    def write_envelope(self, path: str, data: bytes) -> None:
        """Write a whole new file or nothing. The same bytes again are fine; FileExistsError when others are there."""

    def write_envelopes(self, files: Mapping[str, bytes]) -> set[str]:
        """As ``write_envelope``, for several, by path; the paths where other bytes are, which nothing is done about."""

    def read(self, path: str) -> bytes:
        """The bytes of an envelope. Raises FileNotFoundError."""

    def exists(self, path: str) -> bool: ...

    def remove(self, path: str) -> None:
        """Remove an envelope; one that is not there is fine."""

    def paths(self) -> Iterator[str]:
        """The paths of all envelopes, in order."""

    def envelope_bytes(self) -> int:
        """The total size of all envelopes."""

    def strays(self) -> Iterator[str]:
        """Paths of what does not belong here: unfinished files of dead processes, symbolic links, other files."""

    def write_summary(self, path: str, data: bytes) -> bool:
        """Write a whole new file; False when it is there already. FileExistsError when other bytes are there."""

    def read_summary(self, path: str) -> bytes:
        """The bytes of a crawl summary. Raises FileNotFoundError."""

    def summaries(self) -> Iterator[str]:
        """The paths of all crawl summaries, in order, and of what lies among them."""

    def confirmations(self, position: str) -> Iterator[tuple[list[str], str]]:
        """What the ingestion side has appended after *position* ("" at first): lines, with the position after them.

        A line may come again, never does one stay out.
        """

    def append_confirmations(self, lines: Sequence[str]) -> None:
        """Append lines of the ingestion side that were confirmed in another place; on return they are there for good.

        A torn line that stands before them is lost.
        """

    def torn(self) -> tuple[str, ...]:
        """Return the names of files with a truncated last line."""

    def mend(self) -> RemovedRemnant:
        """Remove remnants of dead processes: truncated last lines and temporary files."""
