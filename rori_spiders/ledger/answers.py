"""With what a server's answer came, as the audit has it: for whoever shows or reads its bytes again."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import select

from rori_spiders.ledger.tables import audit

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from sqlalchemy import Connection


class Came(NamedTuple):
    """How the bytes of a version came. ``content_type`` is the header's value, as the server wrote it."""

    audit_id: int
    final_url: str | None
    content_type: str | None


def of_version(conn: Connection, run_id: str, url_hash: str) -> Came | None:
    """How the page of this URL (its hash) came in this run, the last time; None when the audit has no row of it."""
    row = conn.execute(
        select(audit.c.audit_id, audit.c.final_url, audit.c.response_headers)
        .where(audit.c.run_id == run_id, audit.c.url_hash == url_hash, audit.c.kind == "page")
        .order_by(audit.c.seq.desc())
        .limit(1)
    ).one_or_none()
    return None if row is None else Came(row.audit_id, row.final_url, content_type(row.response_headers))


def content_type(headers: Mapping[str, Any] | None) -> str | None:
    """What the kept headers of an answer name as its type."""
    named = {name.lower(): value for name, value in (headers or {}).items()}
    value = named.get("content-type")
    return str(value[0] if isinstance(value, list) and value else value) if value else None
