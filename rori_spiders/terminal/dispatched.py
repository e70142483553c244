"""What a round of the dispatcher did, as a listing and in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rori_spiders.terminal.listing import Column
from rori_spiders.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from datetime import datetime

    from rori_spiders.fleet import Queued, Round

_COLOURS = (("queued", "green"), ("held", "yellow"), ("refused", "red"))
COLUMNS = (
    Column("id", "source"),
    Column("what", "what", colours=_COLOURS),
    Column("job", "job"),
    Column("group", "group"),
    Column("until", "until (UTC)"),
    Column("why", "why"),
    Column("priority"),
)


def rows(found: Round) -> Iterator[dict[str, Any]]:
    """A row for each source: ``queued``, ``held`` until its hours, or left for ``later``."""
    yield from _queued(found.queued)
    for due in found.held:
        yield {"id": due.source.id, "what": "held", "until": due.held_until, "why": due.hours}
    for due, why in found.later:
        yield {"id": due.source.id, "what": "later", "why": why}


def rows_now(made: Iterable[Queued], refused: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """A row for each source that a person wanted now: ``queued`` or ``refused``."""
    yield from _queued(made)
    for source_id, why in refused.items():
        yield {"id": source_id, "what": "refused", "why": why}


def _queued(made: Iterable[Queued]) -> Iterator[dict[str, Any]]:
    for one in made:
        planned = one.planned
        same = {"what": "queued", "job": one.job_id, "group": planned.group, "priority": planned.priority}
        for source in planned.sources:
            yield {"id": source.id, **same}


def summary(found: Round, now: datetime, *, dry_run: bool) -> str:
    """``Queued 3 jobs with 12 sources. 5 are held until their hours.``"""
    sources = sum(len(one.planned.sources) for one in found.queued)
    did = "Would queue" if dry_run else "Queued"
    said = [f"{did} {counted(len(found.queued), 'job')} with {counted(sources, 'source')}."]
    if found.held:
        said.append(f"{len(found.held)} held until their hours.")
    if found.later:
        said.append(f"{len(found.later)} left for a later round.")
    if found.outlook.queued:
        said.append(f"{len(found.outlook.queued)} were in jobs already.")
    if found.outlook.everything is not None:
        said.append("All sources are paused: `scrapy resume --all`.")
    if (since := found.waits_since(now)) is not None:
        said.append(f"Jobs wait since {since:%Y-%m-%d %H:%M} UTC and none runs: is a node up (docs/nodes.md)?")
    return " ".join(said)
