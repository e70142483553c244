"""Schedule sources. Steps: pure functions of (sources, their states, a given time).

In: sources of the manifest, their rows of ``source_state``. Out: what is due, in which order, held until when, and why.
"""

from rori_spiders.schedule.crawl_window import crawl_window_for, current_closing, next_opening
from rori_spiders.schedule.explanation import describe_interval, explain_schedule
from rori_spiders.schedule.intervals import (
    INTERVAL_DAYS,
    MAX_RUN_AGE,
    ScheduleState,
    check_interval,
    max_run_pause,
    next_due,
)
from rori_spiders.schedule.plan import DueSource, blocked_reason, describe_global_pause, plan_due_sources
from rori_spiders.schedule.progress import CrawlDuration, RunProgress, estimate_crawl_duration, percent_done

__all__ = [
    "INTERVAL_DAYS",
    "MAX_RUN_AGE",
    "CrawlDuration",
    "DueSource",
    "RunProgress",
    "ScheduleState",
    "blocked_reason",
    "check_interval",
    "crawl_window_for",
    "current_closing",
    "describe_global_pause",
    "describe_interval",
    "estimate_crawl_duration",
    "explain_schedule",
    "max_run_pause",
    "next_due",
    "next_opening",
    "percent_done",
    "plan_due_sources",
]
