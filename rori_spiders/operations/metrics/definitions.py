"""Every metric: name, type, help text, labels. docs/reference/metrics.md lists the same."""

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
UP = MetricDefinition("rori_up", "gauge", "1 if the ledger could be read, else 0")
ERRORS = MetricDefinition(
    "rori_scrape_errors_total", "counter", "Scrapes of this process that could not read the ledger"
)
SCRAPE = MetricDefinition("rori_scrape_duration_seconds", "gauge", "Time taken to read the ledger")

SOURCES = MetricDefinition("rori_sources", "gauge", "Sources of the active manifest, by status", ("state",))
LAST_SUCCESS = MetricDefinition(
    "rori_source_last_success_timestamp_seconds", "gauge", "Time of a source's last complete run", ("source",)
)
RUNS = MetricDefinition("rori_runs_total", "counter", "Finished runs, by outcome", ("outcome",))
OPEN_RUNS = MetricDefinition(
    "rori_runs_open", "gauge", "Runs in progress, and runs that a later job resumes", ("state",)
)
RUN_PAGES = MetricDefinition("rori_run_pages", "gauge", "Pages of all runs, by their final state", ("state",))
REQUESTS = MetricDefinition("rori_requests_total", "counter", "Requests of all runs")
BROWSER_PAGES = MetricDefinition("rori_browser_pages_total", "counter", "Pages fetched with the browser")
CHANGES = MetricDefinition("rori_page_changes_total", "counter", "Versions of pages, by what changed", ("change",))
RECENT = MetricDefinition(
    "rori_recent_urls", "gauge", "URLs settled in the last hour, by tier and verdict", ("tier", "verdict")
)
RECENT_SECONDS = MetricDefinition(
    "rori_recent_response_seconds",
    "gauge",
    "Response times of the last hour, by quantile",
    ("tier", "share"),
)
RECENT_ESCALATIONS = MetricDefinition(
    "rori_recent_escalations",
    "gauge",
    "Escalations to the next tier in the last hour, by verdict",
    ("from_tier", "to_tier", "verdict"),
)

CREDITS = MetricDefinition(
    "rori_provider_credits_total",
    "counter",
    "Spent, in the provider's unit (tokens for the language model, `llm`)",
    ("provider", "unit"),
)
USD = MetricDefinition("rori_provider_cost_usd_total", "counter", "Spent, in US dollars", ("provider",))
MONTH = MetricDefinition(
    "rori_provider_month_credits", "gauge", "Spent since the first of the month (UTC)", ("provider",)
)
MONTH_LIMIT = MetricDefinition(
    "rori_provider_month_limit",
    "gauge",
    "Monthly limit of a provider, or of the language model (`llm`)",
    ("provider",),
)
MONTH_USD = MetricDefinition(
    "rori_cost_month_usd", "gauge", "Spent by all since the first of the month (UTC), in US dollars"
)
MONTH_USD_LIMIT = MetricDefinition("rori_cost_month_limit_usd", "gauge", "RORI_MONTHLY_BUDGET_USD")

JOBS = MetricDefinition("rori_jobs", "gauge", "Jobs of the queue that have not ended", ("state",))
OLDEST_JOB = MetricDefinition("rori_jobs_oldest_wait_seconds", "gauge", "Age of the oldest queued job")
BACKLOG = MetricDefinition(
    "rori_backlog_seconds", "gauge", "Seconds of jobs that are due and that no node has begun: the signal to scale by"
)
BACKLOG_SOURCES = MetricDefinition("rori_backlog_sources", "gauge", "Sources that are due and that no node has begun")
BACKLOG_AGE = MetricDefinition("rori_backlog_age_seconds", "gauge", "Time since the first of them was due")
SLO_GOOD = MetricDefinition(
    "rori_slo_good", "gauge", "Sources, or changes, for which an objective of service holds", ("objective",)
)
SLO_EXPECTED = MetricDefinition("rori_slo_expected", "gauge", "Those for which it is to hold", ("objective",))
LEASES = MetricDefinition(
    "rori_leases", "gauge", "Leases on politeness groups: live, or stale (left by jobs that died)", ("state",)
)
LEASE_IDLE = MetricDefinition(
    "rori_lease_idle_seconds", "gauge", "Longest time since the last request among live leases"
)
ALERTS = MetricDefinition("rori_alerts", "gauge", "Alerts that have not cleared", ("severity",))
DELIVERIES = MetricDefinition(
    "rori_alert_deliveries_pending", "gauge", "Undelivered messages of open alerts, by state", ("state",)
)
ANNOUNCEMENTS = MetricDefinition(
    "rori_announcements_waiting", "gauge", "Envelopes that the webhook has not accepted yet"
)
ENVELOPES = MetricDefinition("rori_envelopes", "gauge", "Envelopes, by state", ("state",))
UNCONFIRMED = MetricDefinition("rori_envelopes_unconfirmed", "gauge", "Announced envelopes that nobody has confirmed")

#: The one summary: of its own shape.
RUN_SECONDS = "rori_run_duration_seconds"
RUN_SECONDS_ABOUT = "Seconds that jobs spent on finished runs, by method"


def run_seconds_metric(values: Mapping[str, tuple[int, float]]) -> Metric:
    """By method, how many runs have ended and the sum of their seconds."""
    made = SummaryMetricFamily(RUN_SECONDS, RUN_SECONDS_ABOUT, labels=["method"])
    for method, (count, total) in sorted(values.items()):
        made.add_metric([method], count, total)
    return made
