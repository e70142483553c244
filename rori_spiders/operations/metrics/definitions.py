"""Every metric: its name, its kind, what it says, its labels. docs/reference/metrics.md lists the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, SummaryMetricFamily

if TYPE_CHECKING:
    from collections.abc import Mapping

    from prometheus_client import Metric

    Values = Mapping[tuple[str, ...], float]


@dataclass(frozen=True, slots=True)
class MetricDefinition:
    """*name* as Prometheus has it; a counter's ends in ``_total``."""

    name: str
    kind: Literal["gauge", "counter"]
    about: str
    labels: tuple[str, ...] = ()  # Prometheus shows them in the order of the alphabet

    def of(self, values: Values) -> Metric:
        """The family with *values*: by the values of its labels, in their order."""
        make = CounterMetricFamily if self.kind == "counter" else GaugeMetricFamily
        made = make(self.name, self.about, labels=self.labels)
        for labels, value in sorted(values.items()):
            made.add_metric(labels, value)
        return made


BUILD = MetricDefinition("rori_build_info", "gauge", "Always 1; the label is this program's version", ("version",))
UP = MetricDefinition("rori_up", "gauge", "Whether the ledger could be read")
ERRORS = MetricDefinition(
    "rori_scrape_errors_total", "counter", "Scrapes of this process that could not read the ledger"
)
SCRAPE = MetricDefinition("rori_scrape_duration_seconds", "gauge", "How long reading the ledger took")

SOURCES = MetricDefinition("rori_sources", "gauge", "Sources of the manifest in force, by how they stand", ("state",))
LAST_SUCCESS = MetricDefinition(
    "rori_source_last_success_timestamp_seconds", "gauge", "When a source's run was last complete", ("source",)
)
RUNS = MetricDefinition("rori_runs_total", "counter", "Runs that have ended, by outcome", ("outcome",))
OPEN_RUNS = MetricDefinition(
    "rori_runs_open", "gauge", "Runs in progress, and those that a later job goes on with", ("state",)
)
RUN_PAGES = MetricDefinition("rori_run_pages", "gauge", "Pages of all runs, by their final state", ("state",))
REQUESTS = MetricDefinition("rori_requests_total", "counter", "Requests of all runs, whatever they asked for")
BROWSER_PAGES = MetricDefinition("rori_browser_pages_total", "counter", "Pages that the browser has fetched")
CHANGES = MetricDefinition("rori_page_changes_total", "counter", "Versions of pages, by what changed", ("change",))
RECENT = MetricDefinition(
    "rori_recent_urls", "gauge", "URLs settled in the last hour, by tier and verdict", ("tier", "verdict")
)
RECENT_SECONDS = MetricDefinition(
    "rori_recent_response_seconds",
    "gauge",
    "Response times of the last hour: so long or less took this share of them",
    ("tier", "share"),
)
RECENT_ESCALATIONS = MetricDefinition(
    "rori_recent_escalations",
    "gauge",
    "Next tiers that URLs of the last hour were given to, by the verdict that sent them there",
    ("from_tier", "to_tier", "verdict"),
)

CREDITS = MetricDefinition(
    "rori_provider_credits_total",
    "counter",
    "Spent, in the provider's unit; of the language model (`llm`) tokens",
    ("provider", "unit"),
)
USD = MetricDefinition("rori_provider_cost_usd_total", "counter", "Spent, in US dollars", ("provider",))
MONTH = MetricDefinition(
    "rori_provider_month_credits", "gauge", "Spent since the first of the month (UTC)", ("provider",)
)
MONTH_LIMIT = MetricDefinition(
    "rori_provider_month_limit",
    "gauge",
    "What a provider, or the language model (`llm`), may spend a month",
    ("provider",),
)
MONTH_USD = MetricDefinition(
    "rori_cost_month_usd", "gauge", "Spent by all since the first of the month (UTC), in US dollars"
)
MONTH_USD_LIMIT = MetricDefinition("rori_cost_month_limit_usd", "gauge", "RORI_MONTHLY_BUDGET_USD")

JOBS = MetricDefinition("rori_jobs", "gauge", "Jobs of the queue that have not ended", ("state",))
OLDEST_JOB = MetricDefinition(
    "rori_jobs_oldest_wait_seconds", "gauge", "How long the job has waited that waits longest"
)
LEASES = MetricDefinition(
    "rori_leases", "gauge", "Groups of servers: live, or stale (left by jobs that died)", ("state",)
)
LEASE_IDLE = MetricDefinition(
    "rori_lease_idle_seconds", "gauge", "Of the live leases, the longest time since their group was last asked"
)
ALERTS = MetricDefinition("rori_alerts", "gauge", "Alerts that have not cleared", ("severity",))
DELIVERIES = MetricDefinition(
    "rori_alert_deliveries_untold", "gauge", "Messages of open alerts that a channel did not take, by state", ("state",)
)
ANNOUNCEMENTS = MetricDefinition("rori_announcements_waiting", "gauge", "Envelopes that the web hook has not taken yet")
ENVELOPES = MetricDefinition("rori_envelopes", "gauge", "Envelopes, by state", ("state",))
UNCONFIRMED = MetricDefinition("rori_envelopes_unconfirmed", "gauge", "Announced envelopes that nobody has confirmed")

#: The one summary: of its own shape.
RUN_SECONDS = "rori_run_duration_seconds"
RUN_SECONDS_ABOUT = "Seconds that jobs worked on the runs that have ended, by method"


def run_seconds_metric(values: Mapping[str, tuple[int, float]]) -> Metric:
    """By method, how many runs have ended and the sum of their seconds."""
    made = SummaryMetricFamily(RUN_SECONDS, RUN_SECONDS_ABOUT, labels=["method"])
    for method, (count, total) in sorted(values.items()):
        made.add_metric([method], count, total)
    return made
