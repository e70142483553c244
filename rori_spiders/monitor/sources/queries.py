"""Read one source in detail, and its costs."""

from dataclasses import replace
from datetime import datetime

from sqlalchemy import Connection

from rori_spiders.crawl.preview.run_forecast import tiers_for_source
from rori_spiders.ledger.operations import costs as operations_costs
from rori_spiders.ledger.operations.source_status import SourceState, find_global_pause
from rori_spiders.ledger.runs import tier_memory
from rori_spiders.manifest.catalog import Catalog
from rori_spiders.manifest.models import Source
from rori_spiders.manifest.tier_selection import configured_tiers
from rori_spiders.monitor.runs import queries
from rori_spiders.monitor.security.secret_masking import mask_secrets
from rori_spiders.monitor.sources.schemas import (
    Costs,
    Fact,
    ManifestOf,
    Politeness,
    ProviderMonth,
    Remembered,
    ReviewItem,
    SourceDetail,
    TierMonth,
)
from rori_spiders.monitor.state.dependencies import AppState
from rori_spiders.monitor.state.overview import open_alerts
from rori_spiders.reviews import open_items
from rori_spiders.runtime.redacted_output import name_rori
from rori_spiders.schedule import describe_interval, explain_schedule
from rori_spiders.schedule.status import cooling_down_until, fact_label, politeness_status, source_facts, source_status


def source_detail(served: AppState, conn: Connection, catalog: Catalog, source: Source, now: datetime) -> SourceDetail:
    """Read a source in detail."""
    one, servers = source_status(catalog, source, conn, now), politeness_status(catalog, source, conn)
    loaded, state = catalog.loaded_of(source.id), one.state or SourceState()
    rest, everything = cooling_down_until(catalog, source, conn), find_global_pause(conn)
    explanation = explain_schedule(
        source, state, now, rules=catalog.rules, left_alone_until=rest, everything=everything
    )
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
        interval=describe_interval(source, state),
        next_due=one.next_due,
        last_checked_at=state.last_checked_at,
        last_changed_at=state.last_changed_at,
        failures_in_row=state.failures_in_row,
        pages=one.pages,
        last_run=None if one.last_run is None else queries.run_row(one.last_run),
        facts=[Fact(name=fact_label(key), value=value) for key, value in source_facts(catalog, one, servers).items()],
        explain=list(map(name_rori, explanation)),
        politeness=Politeness.model_validate(servers),
        tiers=list(tiers_for_source(source, catalog, configured_tiers(served.settings))),
        tiers_used=[] if one.last_run is None else queries.tier_use(conn, one.last_run.run_id),
        tiers_remembered=_remembered_tiers(conn, source, now),
        alerts=open_alerts(conn, source.id),
        review=[
            ReviewItem.model_validate(replace(item, to_do=name_rori(item.to_do)))
            for item in open_items(conn, {source.id})
        ],
        fields=mask_secrets(source.model_dump(mode="json", exclude_none=True)),
    )


def _remembered_tiers(conn: Connection, source: Source, now: datetime) -> list[Remembered]:
    known = tier_memory.remembered_tiers(conn, source.id, now=now)
    return [Remembered(template=template, tier=tier) for template, tier in sorted(known.items())]


def source_costs(conn: Connection, source_id: str, since: datetime) -> Costs:
    """Read the source's requests and costs since *since*."""
    tiers = [
        TierMonth.model_validate({**one._asdict(), "tier": one.engine})
        for one in operations_costs.requests_by_tier(conn, source_id, since=since)
    ]
    paid = [
        ProviderMonth.model_validate(one) for one in operations_costs.costs_by_provider(conn, source_id, since=since)
    ]
    known = [one.usd for one in paid if one.usd is not None]
    credits_spent = sum(one.credits for one in tiers)
    return Costs(since=since, tiers=tiers, providers=paid, credits=credits_spent, usd=sum(known) if known else None)
