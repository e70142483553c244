"""Pages that are held until a person accepts them: what a run held, and what it knew of each.

Held are texts that have shrunk, before they are staged, and pages that are not there any more, before they are taken
for gone: too many would go at once. The audit row of a held page says how it was asked for and what came. What an
envelope says beyond that is kept as the action ``hold`` on run and URL, in the transaction that ends the page; its
acceptance is the action ``accept`` on the run.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, func, or_, select

from rori_spiders.items import ApiMetadata, PageItem
from rori_spiders.ledger.operations import activity_log
from rori_spiders.ledger.runs import frontier
from rori_spiders.ledger.tables import actions as done
from rori_spiders.ledger.tables import audit, pages, run_urls, runs
from rori_spiders.reasons import ReasonCode
from rori_spiders.urls.canonical import url_hash

#: Who holds: a rule, no person.
_HELD_BY = {
    ReasonCode.SUSPECT: "shrunk",
    ReasonCode.DOUBTFUL: "doubtful",
    ReasonCode.COPY_OF_PAGE: "copy_of_page",
    ReasonCode.CUT_SHORT: "cut_short",
    ReasonCode.OLDER_EDITION: "older_edition",
    ReasonCode.MASS_REMOVAL: "mass_removal",
    ReasonCode.SOFT_REMOVAL: "soft_removal",
}
#: The text of a page is held.
HELD_TEXTS = (
    ReasonCode.SUSPECT,
    ReasonCode.DOUBTFUL,
    ReasonCode.COPY_OF_PAGE,
    ReasonCode.CUT_SHORT,
    ReasonCode.OLDER_EDITION,
)
#: A page that is not there any more is held, not its text.
HELD_REMOVALS = (ReasonCode.MASS_REMOVAL, ReasonCode.SOFT_REMOVAL)


@dataclass(frozen=True, slots=True)
class HeldPage:
    """A page of a run that is held: its row of the audit, and what was kept beside it.

    ``details`` is None for a page that was held by a version of this program which stored none.
    """

    url: str
    reason: str
    reason_code: str | None
    audited: Mapping[str, Any]
    details: Mapping[str, Any] | None

    @property
    def is_removal(self) -> bool:
        """Whether the page is not there any more; else its text is held."""
        return self.reason_code in HELD_REMOVALS

    @property
    def api_metadata(self) -> ApiMetadata:
        """What the publisher's API said of the page."""
        details = self.details or {}
        saved: dict[str, Any] = details.get("api_metadata") or details.get("said") or {}  # `said`: before 1.0
        values: dict[str, Any] = {key: tuple(one) if isinstance(one, list) else one for key, one in saved.items()}
        return ApiMetadata(**values)


def is_held_item(item: PageItem) -> bool:
    """Whether the page has ended as held."""
    return item.state == "failed" and item.reason.code in _HELD_BY and item.fetched is not None


def save_held_page(conn: Connection, item: PageItem, redact: Callable[[str], str], *, now: datetime) -> None:
    """Keep what an envelope of a held page needs, and its audit row does not have. *redact* masks secrets in a text."""
    facts = item.fetched
    assert facts is not None
    details = {
        "at": facts.at.isoformat(),
        "engine_version": facts.engine_version,
        "credits": facts.credits,
        "links": list(item.links),
        **({"screenshot": facts.screenshot_hash} if facts.screenshot is not None else {}),
        "api_metadata": _redact_values(asdict(facts.api_metadata), redact),
    }
    activity_log.record_action(
        conn,
        now=now,
        actor=_HELD_BY[item.reason.code],
        action="hold",
        target=_action_target(item.visit.run_id, item.visit.url),
        reason=item.reason,
        details=details,
    )


def _redact_values(values: dict[str, Any], redact: Callable[[str], str]) -> dict[str, Any]:
    def masked(value: Any) -> Any:
        if isinstance(value, (list, tuple)):
            return [masked(one) for one in value]
        return redact(value) if isinstance(value, str) else value

    return {name: masked(value) for name, value in values.items()}


def list_held_urls(conn: Connection, run_id: str) -> list[str]:
    """The pages that the run holds still, shallow ones first."""
    query = select(run_urls.c.url).where(run_urls.c.run_id == run_id, _is_held_condition())
    return list(conn.execute(query.order_by(run_urls.c.depth, run_urls.c.url)).scalars())


def get_held_page(conn: Connection, run_id: str, url: str) -> HeldPage:
    """One page that the run holds, with what is known of it. Raises LookupError when it does not hold it."""
    here = (audit.c.run_id == run_id, audit.c.url_hash == url_hash(url), audit.c.kind == "page")
    row = conn.execute(select(audit).where(*here).order_by(audit.c.seq.desc()).limit(1)).mappings().one_or_none()
    if row is None or row["state"] != "failed":
        raise LookupError(f"run {run_id} does not hold {url}")
    of_page = select(done.c.details).where(done.c.action == "hold", done.c.target == _action_target(run_id, row["url"]))
    details = conn.execute(of_page.order_by(done.c.action_id.desc()).limit(1)).scalar()
    return HeldPage(row["url"], row["reason"] or "", frontier.reason_code_of(conn, row), {**row}, details)


def _action_target(run_id: str, url: str) -> str:
    return f"{run_id} {url}"


def runs_with_held_pages(
    conn: Connection, limit: int = 20, *, source_id: str | None = None
) -> list[tuple[str, str, int]]:
    """The last runs (of one source) that hold pages still: id of run and source, and how many, the newest first."""
    query = (
        select(runs.c.run_id, runs.c.source_id, func.count())
        .join_from(runs, run_urls)
        .where(_is_held_condition())
        .group_by(runs.c.run_id, runs.c.source_id, runs.c.started_at)
        .order_by(runs.c.started_at.desc(), runs.c.run_id)
    )
    if source_id is not None:
        query = query.where(runs.c.source_id == source_id)
    return [(row[0], row[1], row[2]) for row in conn.execute(query.limit(limit))]


def list_acceptances(conn: Connection, run_id: str) -> list[dict[str, Any]]:
    """The acceptances of the run's pages, oldest first: rows of ``actions``."""
    query = select(done).where(done.c.target == run_id, done.c.action == "accept").order_by(done.c.action_id)
    return [{**row} for row in conn.execute(query).mappings()]


def _is_held_condition() -> ColumnElement[bool]:
    failed = (run_urls.c.kind == "page") & (run_urls.c.state == "failed")
    is_removal = run_urls.c.reason_code.in_(HELD_REMOVALS) & _is_still_missing()
    return failed & or_(run_urls.c.reason_code.in_(HELD_TEXTS), is_removal)


def _is_still_missing() -> ColumnElement[bool]:
    """Whether the page of a run's row has neither come back nor been recorded as gone since."""
    of = runs.alias("of")
    same = (of.c.run_id == run_urls.c.run_id) & (pages.c.url_hash == run_urls.c.url_hash)
    missing = pages.c.gone_at.is_(None) & pages.c.missing_since.is_not(None)
    return select(pages.c.page_id).join(of, of.c.source_id == pages.c.source_id).where(same, missing).exists()
