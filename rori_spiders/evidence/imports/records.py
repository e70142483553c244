"""What readers of imported files give: captures, captures that repeat another, and damaged records."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Literal

#: Who states when a capture was made, and of which bytes: an archive whose digest of the record matches it, or nobody
#: but the file's own word and the person who imports it. Or the publisher states now which text it had on a day, which
#: nobody saw then.
Trust = Literal["archived", "stated", "publisher"]
#: Characters of the name of a record: half of what the ledger's column has.
_MAX_NAME_CHARS = 250


@dataclass(frozen=True, slots=True)
class ArchivedCapture:
    """One response, with its body as the server meant it: chunks joined, Content-Encoding undone."""

    record: str  # where it stands in the file
    url: str
    captured_at: datetime
    status: int
    headers: Mapping[str, str]
    body: bytes
    trust: Trust
    digest: str | None = None  # of the payload, as the archive writes it: what a revisit names
    published: str | None = None  # the day on which its publisher states that it was published, YYYY-MM-DD

    @property
    def content_type(self) -> str | None:
        """Its Content-Type."""
        return next((value for name, value in self.headers.items() if name.lower() == "content-type"), None)


@dataclass(frozen=True, slots=True)
class ArchivedRevisit:
    """The same payload again, which stands in an earlier record."""

    record: str
    url: str
    captured_at: datetime
    digest: str
    trust: Trust


@dataclass(frozen=True, slots=True)
class DamagedRecord:
    """A record that cannot be read, or is not what its digest says."""

    record: str
    reason: str
    url: str | None = None
    captured_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class StateRecord:
    """What is stated of a page without bytes: it is as it was, it is not there, there is no text, or an HTTP status."""

    record: str
    url: str
    captured_at: datetime
    state: Literal["unchanged", "absent", "no_text", "refused"]
    reason: str
    trust: Trust
    http_status: int | None = None


Record = ArchivedCapture | ArchivedRevisit | StateRecord | DamagedRecord


def name_record(*parts: str) -> str:
    """The name of a record within its file: *parts*, printable and short enough for the ledger, always the same."""
    name = " ".join(parts).encode("utf-8", "backslashreplace").decode()
    if len(name) <= _MAX_NAME_CHARS and name.isprintable():
        return name
    shown = "".join(one if one.isprintable() else "?" for one in name[: _MAX_NAME_CHARS - 20])
    return f"{shown} #{sha256(name.encode()).hexdigest()[:16]}"
