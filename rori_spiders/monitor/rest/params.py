"""Types of path and query parameters, and the cursors of lists.

Ids never become paths of files: they are looked up in the ledger.
"""

import base64
import binascii
import json
from datetime import date, datetime
from typing import Annotated, Any, TypeVar

from fastapi import Path, Query
from pydantic import AfterValidator, AwareDatetime, BeforeValidator, Field, TypeAdapter

from rori_spiders.ledger.pages.vocabulary import VERSION_ID, parse_version_id
from rori_spiders.monitor.rest.errors import ApiError

T = TypeVar("T")

#: PostgreSQL refuses a NUL in a text.
_NO_NUL = r"^[^\x00]*$"
#: The largest number of a row.
_INTEGER, _BIG = 2**31 - 1, 2**63 - 1

SourceId = Annotated[str, Path(max_length=200, pattern=r"^[^\x00/]+$", description="ID of a source.")]
RunId = Annotated[str, Path(max_length=36, pattern=r"^[0-9A-Za-z-]+$", description="ID of a run.")]
PageId = Annotated[int, Path(ge=1, le=_INTEGER, description="ID of a page.")]
VersionId = Annotated[str, Path(max_length=21, pattern=VERSION_ID, description="As 12-3.")]
AuditId = Annotated[int, Path(ge=1, le=_BIG, description="ID of an audit row.")]
ManifestVersionId = Annotated[int, Path(ge=1, le=_INTEGER, description="ID of a manifest version.")]
SearchText = Annotated[str, Query(alias="q", max_length=200, pattern=_NO_NUL, description="Text to search for.")]
Offset = Annotated[int, Query(ge=0, le=_INTEGER)]
Limit = Annotated[int, Query(ge=1, le=500)]
After = Annotated[str | None, Query(max_length=8000, description="Cursor: `next` of the previous list.")]


def _refuse_number(value: Any) -> Any:
    """pydantic reads a number, written out too, as seconds since 1970: `until=0.5` was a date."""
    if isinstance(value, int | float) or (isinstance(value, str) and value[4:5] != "-"):
        raise ValueError("is not a date such as 2026-11-27, with a time such as 2026-11-27T15:00:00Z")
    return value


Instant = Annotated[AwareDatetime, BeforeValidator(_refuse_number)]
Day = Annotated[date, BeforeValidator(_refuse_number)]


def require_version_id(version_id: str) -> tuple[int, int]:
    """Parse a version id into the numbers of page and version. Raises ApiError."""
    try:
        return parse_version_id(version_id)
    except ValueError:
        raise ApiError(404, "unknown_version", f"Version {version_id[:40]!r} not found.") from None


def encode_cursor(*values: str | int | datetime | None) -> str:
    """Encode a list position as an opaque cursor."""
    plain = [value.isoformat() if isinstance(value, datetime) else value for value in values]
    return base64.urlsafe_b64encode(json.dumps(plain).encode()).decode().rstrip("=")


def decode_cursor(after: str, kind: TypeAdapter[T]) -> T:
    """Decode a cursor of this kind into its tuple. Raises ApiError for any other."""
    try:
        plain = base64.b64decode(after + "=" * (-len(after) % 4), altchars=b"-_", validate=True)
        return kind.validate_json(plain, strict=True)
    except (ValueError, binascii.Error):
        raise ApiError(404, "unknown_cursor", "This list has no such cursor; begin without `after`.") from None


def _check_printable(text: str) -> str:
    if not text.isprintable():
        raise ValueError("contains non-printable characters")
    return text


#: What such a place is made of.
CursorTime = AwareDatetime
CursorInt = Annotated[int, Field(ge=0, le=_INTEGER)]
CursorBigInt = Annotated[int, Field(ge=0, le=_BIG)]
CursorText = Annotated[str, AfterValidator(_check_printable)]
