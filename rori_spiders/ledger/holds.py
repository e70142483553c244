"""Pages that are held before staging, until a person accepts them: what a run held, and what it knew of each.

The audit row of a held page says how it was asked for and what came. What an envelope says beyond that is kept as the
action ``hold`` on run and URL, in the transaction that ends the page; its acceptance is the action ``accept`` on the
run.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select

from rori_spiders.items import Said
from rori_spiders.ledger import actions
from rori_spiders.ledger.tables import actions as done
from rori_spiders.ledger.tables import audit, run_urls, runs
from rori_spiders.urls import url_hash

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from sqlalchemy import ColumnElement, Connection

    from rori_spiders.items import PageItem

#: The first word of the reason of a page that is held.
SUSPECT = "suspect"
#: Who holds: a rule, no person.
_RULE = "shrunk"


@dataclass(frozen=True, slots=True)
class Held:
    """A page of a run that is held: its row of the audit, and what was kept beside it.

    ``kept`` is None for a page that was held by a version of this program which kept nothing.
    """

    url: str
    reason: str
    audited: Mapping[str, Any]
    kept: Mapping[str, Any] | None

    @property
    def said(self) -> Said:
        """What the publisher's API said of the page."""
        told: dict[str, Any] = (self.kept or {}).get("said") or {}
        values: dict[str, Any] = {key: tuple(one) if isinstance(one, list) else one for key, one in told.items()}
        return Said(**values)


def is_held(item: PageItem) -> bool:
    """Whether the page has ended as held."""
    return item.state == "failed" and item.reason.startswith(f"{SUSPECT}:") and item.fetched is not None


def keep(conn: Connection, item: PageItem, redact: Callable[[str], str], *, now: datetime) -> None:
    """Keep what an envelope of a held page needs, and its audit row does not have. *redact* masks secrets in a text."""
    facts = item.fetched
    assert facts is not None
    details = {
        "at": facts.at.isoformat(),
        "engine_version": facts.engine_version,
        "credits": facts.credits,
        "links": list(item.links),
        "said": _redacted(asdict(facts.said), redact),
    }
    actions.record(
        conn,
        now=now,
        actor=_RULE,
        action="hold",
        target=_target(item.visit.run_id, item.visit.url),
        reason=item.reason,
        details=details,
    )


def _redacted(told: dict[str, Any], redact: Callable[[str], str]) -> dict[str, Any]:
    def masked(value: Any) -> Any:
        if isinstance(value, (list, tuple)):
            return [masked(one) for one in value]
        return redact(value) if isinstance(value, str) else value

    return {name: masked(value) for name, value in told.items()}


def urls_held(conn: Connection, run_id: str) -> list[str]:
    """The pages that the run holds still, shallow ones first."""
    query = select(run_urls.c.url).where(run_urls.c.run_id == run_id, _is_held())
    return list(conn.execute(query.order_by(run_urls.c.depth, run_urls.c.url)).scalars())


def held(conn: Connection, run_id: str, url: str) -> Held:
    """One page that the run holds, with what is known of it. Raises LookupError when it does not hold it."""
    here = (audit.c.run_id == run_id, audit.c.url_hash == url_hash(url), audit.c.kind == "page")
    row = conn.execute(select(audit).where(*here).order_by(audit.c.seq.desc()).limit(1)).mappings().one_or_none()
    if row is None or row["state"] != "failed":
        raise LookupError(f"run {run_id} does not hold {url}")
    of_page = select(done.c.details).where(done.c.action == "hold", done.c.target == _target(run_id, row["url"]))
    kept = conn.execute(of_page.order_by(done.c.action_id.desc()).limit(1)).scalar()
    return Held(row["url"], row["reason"] or "", {**row}, kept)


def _target(run_id: str, url: str) -> str:
    return f"{run_id} {url}"


def runs_that_hold(conn: Connection, limit: int = 20) -> list[tuple[str, str, int]]:
    """The last runs that hold pages still: id of run and source, and how many, the newest first."""
    query = (
        select(runs.c.run_id, runs.c.source_id, func.count())
        .join_from(runs, run_urls)
        .where(_is_held())
        .group_by(runs.c.run_id, runs.c.source_id, runs.c.started_at)
        .order_by(runs.c.started_at.desc(), runs.c.run_id)
    )
    return [(row[0], row[1], row[2]) for row in conn.execute(query.limit(limit))]


def accepted(conn: Connection, run_id: str) -> list[dict[str, Any]]:
    """The acceptances of the run's pages, oldest first: rows of ``actions``."""
    query = select(done).where(done.c.target == run_id, done.c.action == "accept").order_by(done.c.action_id)
    return [{**row} for row in conn.execute(query).mappings()]


def _is_held() -> ColumnElement[bool]:
    failed = (run_urls.c.kind == "page") & (run_urls.c.state == "failed")
    return failed & run_urls.c.reason.startswith(f"{SUSPECT}:", autoescape=True)
