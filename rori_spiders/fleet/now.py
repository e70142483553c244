"""Run now: a person puts sources into the queue, before all others, whatever their intervals and hours."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import uuid4

from rori_spiders.fleet.outlook import Outlook, read_outlook
from rori_spiders.fleet.rounds import Queued, add, groups_of
from rori_spiders.ledger import actions, jobs
from rori_spiders.schedule import hindrance
from rori_spiders.schedule.dispatching import by_hand

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy import Connection

    from rori_spiders.manifest.catalog import Catalog
    from rori_spiders.manifest.models import Source


def queue_now(
    connection: Connection, catalog: Catalog, chosen: Sequence[Source], *, actor: str, now: datetime
) -> tuple[list[Queued], dict[str, str]]:
    """The jobs made for *chosen*, and of those that got none: source id -> why, in words.

    What is paused stays so, and what a node has already gets no second job; out of a schedule's that waits it is taken.
    A job that was lost for good is replaced.
    """
    jobs.alone(connection)
    outlook = read_outlook(connection)
    refused = {}
    for source in chosen:
        why = hindrance(source, outlook.states.get(source.id), outlook.everything)
        if why is None and not _is_free(connection, outlook, source, actor, now):
            why = outlook.job_of(source.id)
        if why is not None:
            refused[source.id] = why
    wanted = [source for source in chosen if source.id not in refused]
    made = [
        Queued(str(uuid4()), planned) for planned in by_hand(wanted, groups=lambda source: groups_of(catalog, source))
    ]
    for one in made:
        add(connection, one, operator="manual", now=now)
        for source in one.planned.sources:
            job = {"job_id": one.job_id}
            actions.record(connection, now=now, actor=actor, action="run_now", target=source.id, details=job)
    return made, refused


def _is_free(connection: Connection, outlook: Outlook, source: Source, actor: str, now: datetime) -> bool:
    """Whether no job has the source, or none any more: out of a schedule's that waits it is taken."""
    job_id = outlook.queued.get(source.id)
    if job_id is None or job_id not in outlook.jobs:
        return True
    if outlook.jobs[job_id].operator == "manual":
        return False  # it is in front already
    return jobs.take_out(connection, job_id, source.id, by=actor, now=now)
