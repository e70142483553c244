"""The lines of ``_index.jsonl`` and ``_errors.jsonl``: compact JSON in ASCII, so that no reader can split one in two.

(U+2028 and its kin are line ends to some readers; written as escapes they are none.)
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rori_spiders.envelope.models import Envelope


def format_wire_time(moment: datetime) -> str:
    """``2026-02-13T14:30:00Z``. Raises ValueError for a time without a zone."""
    if moment.tzinfo is None:
        raise ValueError("a time without a time zone cannot be written")
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def parse_wire_time(text: str) -> datetime:
    """The moment that ``format_wire_time`` wrote."""
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%S%z")


def render_index_line(envelope: Envelope, *, path: str, staged_at: datetime) -> str:
    """One line for a staged envelope, without its newline."""
    return _compact_json(
        {
            "envelope_id": envelope.envelope_id,
            "manifest_id": envelope.source.manifest_id,
            "url": envelope.source.url,
            "staged_at": format_wire_time(staged_at),
            "path": path,
            "content_changed": envelope.integrity.content_changed,
        }
    )


def render_error_line(
    *,
    timestamp: datetime,
    manifest_id: str,
    url: str,
    error: str,
    retry_count: int,
    engine: str | None,
    resolved: bool = False,
    reason_code: str | None = None,
    reason_detail: Mapping[str, Any] | None = None,
) -> str:
    """One line for a URL that failed, without its newline. The caller redacts *error* and *reason_detail*.

    Lines without *reason_code* do not have its two keys: those of rows from before there were codes.
    """
    coded = {} if reason_code is None else {"reason_code": reason_code, "reason_detail": reason_detail or {}}
    return _compact_json(
        {
            "timestamp": format_wire_time(timestamp),
            "manifest_id": manifest_id,
            "url": url,
            "error": error,
            "retry_count": retry_count,
            "engine": engine,
            "resolved": resolved,
            **coded,
        }
    )


def _compact_json(fields: dict[str, object]) -> str:
    return json.dumps(fields, separators=(",", ":"))
