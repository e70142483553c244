"""Failed sign-ins, counted by all monitors of a ledger together. Known by a hash: a name may be a mistyped password.

A `FailureLimit` names what is counted, such as a name from an address, and how many failures lock it.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import Connection, case, delete, select, update

from rori_spiders.ledger.dialects import lock_for_writing, upsert
from rori_spiders.ledger.tables import sign_in_failures

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime, timedelta


@dataclass(frozen=True, slots=True)
class FailureLimit:
    """*most* failures of *what* lock it for the rest of the window, which begins with the first."""

    what: tuple[str, ...]
    most: int

    @property
    def key_hash(self) -> str:
        return hashlib.sha256("\0".join(self.what).encode("utf-8", "replace")).hexdigest()


def locked_until(
    conn: Connection, limits: Sequence[FailureLimit], *, now: datetime, window: timedelta
) -> datetime | None:
    """When what is locked of *limits* may be tried again; None: now."""
    counted = _begun(conn, limits, now - window)
    rows = ((one, *counted[one.key_hash]) for one in limits if one.key_hash in counted)
    return max((since + window for one, failed, since in rows if failed >= one.most), default=None)


def count_attempt(
    conn: Connection, limits: Sequence[FailureLimit], *, now: datetime, window: timedelta
) -> datetime | None:
    """Count a failure of each of *limits* until `forgive_attempt`; where one is locked, nothing, and until when it is.

    What is counted before the password is checked counts simultaneous attempts too.
    """
    lock_for_writing(conn, sign_in_failures)
    conn.execute(delete(sign_in_failures).where(sign_in_failures.c.since <= now - window))
    if (until := locked_until(conn, limits, now=now, window=window)) is not None:
        return until
    found = _begun(conn, limits, now - window)
    rows = ((one.key_hash, *found.get(one.key_hash, (0, now))) for one in limits)
    upsert(conn, sign_in_failures, [{"key_hash": key, "failed": failed + 1, "since": at} for key, failed, at in rows])
    return None


def forgive_attempt(conn: Connection, reset: Sequence[FailureLimit], lessened: Sequence[FailureLimit]) -> None:
    """Record a success: *reset* begin anew, *lessened* have one failure less."""
    table = sign_in_failures
    conn.execute(delete(table).where(table.c.key_hash.in_([one.key_hash for one in reset])))
    less = case((table.c.failed > 0, table.c.failed - 1), else_=0)
    conn.execute(update(table).where(table.c.key_hash.in_([one.key_hash for one in lessened])).values(failed=less))


def _begun(conn: Connection, limits: Sequence[FailureLimit], after: datetime) -> dict[str, tuple[int, datetime]]:
    """Failures, and when the first was, of those of *limits* whose window is still open."""
    table = sign_in_failures
    in_window = table.c.key_hash.in_([one.key_hash for one in limits]) & (table.c.since > after)
    return {row.key_hash: (row.failed, row.since) for row in conn.execute(select(table).where(in_window))}
