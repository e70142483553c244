"""The order of the lines of a log: that in which the ledger recorded what they tell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from rori_spiders.ledger.operations import activity_log
from rori_spiders.ledger.tables import actions, runs
from rori_spiders.staging.verification.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from sqlalchemy import Connection, Row

    from rori_spiders.ledger.database import Ledger
    from rori_spiders.staging.store import Log

#: Of lines that a repair appended: they stand after lines that are younger. Their names are in its ``details``.
REPAIR = "repair"


class LineOrder:
    """Follows the lines of *log*, of which ``name`` (``index``, ``errors``) is told in findings and repairs.

    A job appends its lines in the order of their audit rows, and those of a run before it ends: a run that starts
    later has none before them. In a bucket, whose lines are read run by run, those of several runs have no order.
    """

    def __init__(self, ledger: Ledger, log: Log, name: str) -> None:
        self._name = name
        self._is_one_sequence = log.is_one_sequence
        self._last: dict[str, int] = {}
        self._latest_start: datetime | None = None
        with ledger.connect() as conn:
            rows = conn.execute(select(runs.c.run_id, runs.c.job_id, runs.c.started_at, runs.c.finished_at)).all()
            self._repaired = load_repaired(conn, name)
        self._runs = {row.run_id: row for row in rows}

    def check(
        self, where: str, line: str | int, *, run_id: str, audit_id: int, at: datetime | None
    ) -> Iterator[Finding]:
        """The next line, that of envelope or audit row *line*, recorded *at* that time by the row *audit_id*."""
        run = self._runs.get(run_id)
        if run is None or line in self._repaired:
            return
        of = run.job_id if self._is_one_sequence else run_id
        before, self._last[of] = self._last.get(of, 0), audit_id
        if audit_id < before or self._is_late(run, at):
            yield Finding(f"{self._name}_order", where, "stands after lines of what was recorded later")

    def _is_late(self, run: Row[*tuple[Any, ...]], at: datetime | None) -> bool:
        """Whether a run that started after this one had ended has lines before. An acceptance comes after the end."""
        if not self._is_one_sequence:
            return False
        before = self._latest_start
        self._latest_start = run.started_at if before is None else max(before, run.started_at)
        if before is None or run.finished_at is None:
            return False
        ended: datetime = run.finished_at if at is None else max(run.finished_at, at)
        return before > ended


def load_repaired(conn: Connection, name: str) -> set[Any]:
    """The lines of the log *name* that repairs appended."""
    done = select(actions.c.details).where(actions.c.action == REPAIR, actions.c.target == name)
    return {line for details in conn.execute(done).scalars() for line in details["lines"]}


def note_repair(conn: Connection, name: str, lines: Sequence[str | int], *, now: datetime) -> None:
    """Record that a repair is about to append *lines* to the log *name*: envelopes, rows of the audit, or changes."""
    if lines:
        activity_log.record_action(
            conn, now=now, actor=activity_log.SYSTEM, action=REPAIR, target=name, details={"lines": list(lines)}
        )
