"""What paths and queries may hold, as types for the parameters of endpoints; and where a followed list goes on.

Ids never become paths of files: they are looked up in the ledger.
"""

from __future__ import annotations

import base64
import binascii
import json
from datetime import datetime
from typing import Annotated

from fastapi import Path, Query

from rori_spiders.monitor.errors import Refused, invalid

#: PostgreSQL refuses a NUL in a text.
_NO_NUL = r"^[^\x00]*$"
#: The largest number of a row.
_INTEGER, _BIG = 2**31 - 1, 2**63 - 1

SourceId = Annotated[str, Path(max_length=200, pattern=r"^[^\x00/]+$", description="Id of a source.")]
RunId = Annotated[str, Path(max_length=36, pattern=r"^[0-9A-Za-z-]+$", description="Id of a run.")]
PageId = Annotated[int, Path(ge=1, le=_INTEGER, description="Number of a page's address.")]
VersionId = Annotated[str, Path(max_length=21, pattern=r"^\d{1,10}-\d{1,10}$", description="As 12-3.")]
AuditId = Annotated[int, Path(ge=1, le=_BIG, description="Number of a row of the audit.")]
ManifestVersionId = Annotated[int, Path(ge=1, le=_INTEGER, description="Number of a manifest's version.")]
Words = Annotated[str, Query(alias="q", max_length=200, pattern=_NO_NUL, description="In any of its texts.")]
Offset = Annotated[int, Query(ge=0, le=_INTEGER)]
Limit = Annotated[int, Query(ge=1, le=500)]
After = Annotated[str | None, Query(max_length=8000, description="The `next` of the list before.")]


def numbers(version_id: str) -> tuple[int, int]:
    """Number of the page's address, and of the version there. Refused for what is no version's id."""
    page_id, _, seq = version_id.partition("-")
    try:
        found = int(page_id), int(seq)
    except ValueError:
        found = (0, 0)
    if not all(0 < one <= _INTEGER for one in found):
        raise Refused(404, "unknown_version", f"There is no version {version_id[:40]!r}.")
    return found


def version_id(page_id: int, seq: int) -> str:
    """The id of a version of a page."""
    return f"{page_id}-{seq}"


def further(*values: str | int | datetime) -> str:
    """Where a list goes on, in a form that nobody should read."""
    plain = [value.isoformat() if isinstance(value, datetime) else value for value in values]
    return base64.urlsafe_b64encode(json.dumps(plain).encode()).decode().rstrip("=")


def place(after: str, *kinds: type) -> tuple[str | int | datetime, ...]:
    """What ``further`` was given, which must be of these kinds. Refused for anything else."""
    try:
        plain = json.loads(base64.b64decode(after + "=" * (-len(after) % 4), altchars=b"-_", validate=True))
        return tuple(_typed(value, kind) for value, kind in zip(plain, kinds, strict=True))
    except (ValueError, TypeError, binascii.Error, RecursionError):
        raise invalid([("after", "is not the `next` of this list")]) from None


def _typed(value: object, kind: type) -> str | int | datetime:
    if kind is datetime and isinstance(value, str):
        at = datetime.fromisoformat(value)
        if at.tzinfo is not None:
            return at
    elif (kind is int and isinstance(value, int) and abs(value) <= _INTEGER) or (
        kind is str and isinstance(value, str) and "\0" not in value and value.isprintable()
    ):
        return value
    raise ValueError("another kind")
