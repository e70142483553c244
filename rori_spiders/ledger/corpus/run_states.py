"""Runs of the corpus: one a domain at a time, moved from state to state by compare and set, worked on by one process.

Which state may follow which is not known here (``corpus/run_states.py``): the caller that moves a run says from where.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, or_, select, update

from rori_spiders.ledger.dialects import lease_clock, lock_for_writing
from rori_spiders.ledger.tables import corpus_runs as runs


@dataclass(frozen=True, slots=True)
class CorpusRun:
    """One row of ``corpus_runs``."""

    run_id: str
    domain: str
    kind: str
    state: str
    target: Mapping[str, Any]
    base_version: int | None
    rules: str
    model: str | None
    triage_object: str | None
    requested_by: str
    started_at: datetime
    moved_at: datetime
    ended_at: datetime | None
    stopped_in: str | None
    says: str | None
    worker: str | None
    worker_until: datetime | None

    @property
    def is_open(self) -> bool:
        return self.ended_at is None


def begin_run(conn: Connection, run: CorpusRun) -> CorpusRun | None:
    """Keep *run*, which is new; gives None, or the open run that has its domain, and then nothing was changed."""
    lock_for_writing(conn, runs, run.domain)
    if (other := find_open_run(conn, run.domain)) is not None:
        return other
    conn.execute(runs.insert().values({name: getattr(run, name) for name in CorpusRun.__slots__}))
    return None


def find_open_run(conn: Connection, domain: str) -> CorpusRun | None:
    """The run that has *domain* now."""
    return _first_run(conn, runs.c.domain == domain, runs.c.ended_at.is_(None))


def find_run(conn: Connection, run_id: str) -> CorpusRun | None:
    """The run of this id."""
    return _first_run(conn, runs.c.run_id == run_id)


def newest_run(conn: Connection, domain: str, state: str | None = None) -> CorpusRun | None:
    """The last run of *domain* that began; with *state* the last one in it."""
    rows = list_runs(conn, domain=domain, state=state, limit=1)
    return rows[0] if rows else None


def list_runs(
    conn: Connection, *, domain: str | None = None, state: str | None = None, limit: int = 50
) -> list[CorpusRun]:
    """Runs, newest first."""
    query = select(runs).order_by(runs.c.started_at.desc(), runs.c.run_id).limit(limit)
    if domain is not None:
        query = query.where(runs.c.domain == domain)
    if state is not None:
        query = query.where(runs.c.state == state)
    return [CorpusRun(**row._mapping) for row in conn.execute(query)]


def has_runs(conn: Connection) -> bool:
    """Whether any corpus was ever begun."""
    return conn.scalar(select(runs.c.run_id).limit(1)) is not None


def domains_in_state(conn: Connection, state: str) -> list[str]:
    """Those of which a run is in *state*."""
    return list(conn.scalars(select(runs.c.domain).where(runs.c.state == state).distinct().order_by(runs.c.domain)))


def idle_runs_begun_by(conn: Connection, by: Sequence[str], states: Sequence[str], *, now: datetime) -> list[CorpusRun]:
    """Runs that one of *by* began, in one of *states*, that no process works on."""
    free = or_(runs.c.worker.is_(None), runs.c.worker_until < lease_clock(conn, now))
    its = select(runs).where(runs.c.requested_by.in_(by), runs.c.state.in_(states), runs.c.ended_at.is_(None), free)
    return [CorpusRun(**row._mapping) for row in conn.execute(its.order_by(runs.c.started_at, runs.c.run_id))]


def move_run(
    conn: Connection, run: CorpusRun, to: str, *, now: datetime, ends: bool = False, says: str | None = None
) -> bool:
    """From the state in which *run* was read to *to*; False, and nothing changed, when it is in another by now."""
    values: dict[str, Any] = {"state": to, "moved_at": now, "says": says, "stopped_in": None, "ended_at": None}
    if ends:
        values |= {"ended_at": now, "worker": None, "worker_until": None}
    return _update_run(conn, run, values)


def stop_run(conn: Connection, run: CorpusRun, to: str, *, now: datetime, says: str) -> bool:
    """It cannot go on: *to* is ``failed``. Where it stopped is kept, and its domain is free."""
    ended = {"ended_at": now, "worker": None, "worker_until": None}
    return _update_run(conn, run, {"state": to, "moved_at": now, "stopped_in": run.state, "says": says, **ended})


def resume_run(conn: Connection, run: CorpusRun, *, now: datetime) -> CorpusRun | None:
    """Back into the state where it stopped; gives None, or the run that has taken its domain since."""
    lock_for_writing(conn, runs, run.domain)
    if (other := find_open_run(conn, run.domain)) is not None:
        return other
    _update_run(
        conn, run, {"state": run.stopped_in, "moved_at": now, "stopped_in": None, "says": None, "ended_at": None}
    )
    return None


def claim_run(conn: Connection, run_id: str, worker: str, *, now: datetime, for_: timedelta) -> bool:
    """*worker* alone works on the run *for_* so long, from now; again and again, as a heartbeat."""
    now = lease_clock(conn, now)
    free = or_(runs.c.worker.is_(None), runs.c.worker == worker, runs.c.worker_until < now)
    its = update(runs).where(runs.c.run_id == run_id, runs.c.ended_at.is_(None), free)
    return conn.execute(its.values(worker=worker, worker_until=now + for_)).rowcount == 1


def release_run(conn: Connection, run_id: str, worker: str) -> None:
    """*worker* has left it."""
    its = update(runs).where(runs.c.run_id == run_id, runs.c.worker == worker)
    conn.execute(its.values(worker=None, worker_until=None))


def save_triage(conn: Connection, run_id: str, digest: str) -> None:
    """The object with what a model was asked about the run's pages, and answered."""
    conn.execute(update(runs).where(runs.c.run_id == run_id).values(triage_object=digest))


def change_rules(conn: Connection, run_id: str, rules: str) -> None:
    """From now on the run works by these site rules."""
    conn.execute(update(runs).where(runs.c.run_id == run_id).values(rules=rules))


def _update_run(conn: Connection, run: CorpusRun, values: Mapping[str, Any]) -> bool:
    same = update(runs).where(runs.c.run_id == run.run_id, runs.c.state == run.state)
    return conn.execute(same.values(**values)).rowcount == 1


def _first_run(conn: Connection, *where: Any) -> CorpusRun | None:
    row = conn.execute(select(runs).where(*where)).one_or_none()
    return CorpusRun(**row._mapping) if row else None
