"""One source as the API gives it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rori_spiders.forecast import rungs_of
from rori_spiders.ledger import spending, tier_memory
from rori_spiders.ledger.sources import SourceState, pause_of_all
from rori_spiders.manifest.configured import configured
from rori_spiders.monitor.answers.costs import Costs, ProviderMonth, TierMonth
from rori_spiders.monitor.answers.source import (
    Fact,
    ManifestOf,
    Politeness,
    Remembered,
    ReviewItem,
    ReviewPage,
    SourceDetail,
)
from rori_spiders.monitor.reading import runs
from rori_spiders.monitor.reading.alerting import open_alerts
from rori_spiders.monitor.reading.masking import masked
from rori_spiders.reviews import open_items
from rori_spiders.schedule import explain, interval_words
from rori_spiders.standing import facts, left_alone_until, standing
from rori_spiders.standing.owed import owed

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import Connection

    from rori_spiders.manifest.catalog import Catalog
    from rori_spiders.manifest.models import Source
    from rori_spiders.monitor.served import Served


def detail(served: Served, conn: Connection, catalog: Catalog, source: Source, now: datetime) -> SourceDetail:
    """What a person asks first about a source."""
    one, servers = standing(catalog, source, conn, now), owed(catalog, source, conn)
    loaded, state = catalog.loaded_of(source.id), one.state or SourceState()
    rest, everything = left_alone_until(catalog, source, conn), pause_of_all(conn)
    said = explain(source, state, now, rules=catalog.rules, left_alone_until=rest, everything=everything)
    return SourceDetail(
        id=source.id,
        name=source.name,
        url=source.url,
        agency=source.metadata.agency,
        category=source.effective_category,
        domain=source.domain,
        jurisdiction=source.jurisdiction,
        citation=source.citation,
        method=source.method,
        manifest=ManifestOf(name=loaded.name, version=loaded.manifest.version, origin=loaded.origin),
        status=one.status,
        why=one.hindrance or one.locked,
        interval=interval_words(source, state),
        next_due=one.next_due,
        last_checked_at=state.last_checked_at,
        last_changed_at=state.last_changed_at,
        failures_in_row=state.failures_in_row,
        pages=one.pages,
        last_run=None if one.last_run is None else runs.row(one.last_run),
        facts=[Fact(name=name, value=value) for name, value in facts(catalog, one, servers)],
        explain=list(said),
        politeness=Politeness.model_validate(servers),
        tiers=list(rungs_of(source, catalog, configured(served.settings))),
        tiers_used=[] if one.last_run is None else runs.tiers(conn, one.last_run.run_id),
        tiers_remembered=_remembered(conn, source, now),
        alerts=open_alerts(conn, source.id),
        review=_review(conn, source),
        fields=masked(source.model_dump(mode="json", exclude_none=True)),
    )


def _remembered(conn: Connection, source: Source, now: datetime) -> list[Remembered]:
    known = tier_memory.known(conn, source.id, now=now)
    return [Remembered(template=template, tier=tier) for template, tier in sorted(known.items())]


def _review(conn: Connection, source: Source) -> list[ReviewItem]:
    return [
        ReviewItem(
            event=item.event,
            severity=item.severity,
            since=item.since,
            message=item.message,
            to_do=item.to_do,
            pages=[ReviewPage.model_validate(page) for page in item.pages],
        )
        for item in open_items(conn, {source.id})
    ]


def costs(conn: Connection, source_id: str, since: datetime) -> Costs:
    """What the source's requests came to since then."""
    tiers = [TierMonth.model_validate(_tier(one._asdict())) for one in spending.by_tier(conn, source_id, since=since)]
    paid = [ProviderMonth.model_validate(one) for one in spending.by_provider(conn, source_id, since=since)]
    known = [one.usd for one in paid if one.usd is not None]
    credits_spent = sum(one.credits for one in tiers)
    return Costs(since=since, tiers=tiers, providers=paid, credits=credits_spent, usd=sum(known) if known else None)


def _tier(row: dict[str, Any]) -> dict[str, Any]:
    return {**row, "tier": row["engine"]}
