"""How long it takes to plan 100,000 sources.

    .venv/bin/python -m benchmarks.schedule          # 100,000 sources on 5,000 domains
    .venv/bin/python -m benchmarks.schedule 10000

Two sources in three under .gov; daily, weekly, monthly, and by category; checked up to 40 days ago. Prints the CPU
seconds of a first plan and of a second, as a dispatcher makes one after the other, and how many sources were due.
"""

from __future__ import annotations

import sys
import time
from datetime import UTC, datetime, timedelta

from rori_spiders.ledger.operations.source_status import SourceState
from rori_spiders.manifest.catalog import DomainRuleIndex
from rori_spiders.manifest.models import Source
from rori_spiders.schedule import plan_due_sources
from tests.support.project import source

_NOW = datetime(2026, 2, 13, 7, 30, tzinfo=UTC)
_FREQUENCIES = ("daily", "weekly", "monthly", None)


def made(number: int) -> list[Source]:
    """So many sources, made from one that was validated: what is measured is the plan alone."""
    one = Source.model_validate(source("s", "https://www.site.gov/"))
    found = []
    for index in range(number):
        url = f"https://www.site{index % 5000}.{'gov' if index % 3 else 'org'}/p/{index}"
        fields = {"id": f"s{index}", "url": url, "frequency": _FREQUENCIES[index % 4]}
        found.append(one.model_copy(update=fields))
    return found


def main() -> None:
    sources = made(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
    states = {
        one.id: SourceState(last_checked_at=_NOW - timedelta(days=index % 40)) for index, one in enumerate(sources)
    }
    rules = DomainRuleIndex([{}]).rules
    for which in ("first", "second"):
        began = time.process_time()
        due = plan_due_sources(sources, states, _NOW, rules=rules)
        print(f"{which} plan of {len(sources):,}: {time.process_time() - began:.2f} s CPU, {len(due):,} due")


if __name__ == "__main__":
    main()
