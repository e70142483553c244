"""What providers and the language model have cost: ever, and of this month against its limits.

What is only reserved counts as spent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import func, select

from rori_spiders.ledger.costs import month_of, spent, spent_usd
from rori_spiders.ledger.tables import costs
from rori_spiders.manifest.vocabulary import PROVIDERS
from rori_spiders.metrics import families

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from prometheus_client import Metric
    from scrapy.settings import BaseSettings
    from sqlalchemy import Connection

#: Whoever has a limit of its own, RORI_..._LIMIT: providers, and the language model.
_LIMITED = (*PROVIDERS, "llm")


def of_costs(conn: Connection, settings: BaseSettings, now: datetime) -> Iterator[Metric]:
    amount = func.sum(func.coalesce(costs.c.settled, costs.c.reserved))
    query = select(costs.c.provider, costs.c.unit, amount, func.sum(costs.c.usd)).group_by(
        costs.c.provider, costs.c.unit
    )
    rows = conn.execute(query).all()
    credits_of: dict[tuple[str, ...], float] = {(row[0], row[1]): float(row[2] or 0) for row in rows}
    yield families.CREDITS.of(credits_of)
    dollars: dict[tuple[str, ...], float] = {}
    for provider, _, _, usd in rows:
        dollars[(provider,)] = dollars.get((provider,), 0.0) + float(usd or 0)
    yield families.USD.of(dollars)
    since, used = month_of(now), sorted({row[0] for row in rows})
    yield families.MONTH.of({(one,): spent(conn, one, since=since) for one in used})
    known: list[str] = [one for one in used if one in _LIMITED]
    limits: dict[tuple[str, ...], float] = {(one,): settings.getfloat(f"RORI_{one.upper()}_LIMIT") for one in known}
    yield families.MONTH_LIMIT.of(limits)
    yield families.MONTH_USD.of({(): spent_usd(conn, since=since)})
    yield families.MONTH_USD_LIMIT.of({(): settings.getfloat("RORI_COST_LIMIT")})
