"""The tables of the ledger (SQLAlchemy Core), one module a theme. Migrations build exactly these.

Times are UTC (``types.UtcDateTime``); hashes are hex SHA-256 without prefix; ids of runs are uuid4 text.
"""

from rori_spiders.ledger.tables.audit_trail import audit, robots_seen, unlogged_errors
from rori_spiders.ledger.tables.base import metadata
from rori_spiders.ledger.tables.corpus import (
    corpus_approvals,
    corpus_overrides,
    corpus_pages,
    corpus_runs,
    corpus_versions,
)
from rori_spiders.ledger.tables.evidence import audit_chains, fact_leaves, head_destinations, log_heads
from rori_spiders.ledger.tables.fields import field_lines, field_records, field_values
from rori_spiders.ledger.tables.imports import import_withdrawals, imported_captures, imported_changes, imports
from rori_spiders.ledger.tables.jobs import job_groups, jobs
from rori_spiders.ledger.tables.operations import (
    actions,
    alert_channels,
    alert_deliveries,
    alerts,
    api_tokens,
    change_deliveries,
    change_subscriptions,
    costs,
    cursors,
    leases,
    manifest_versions,
    permits,
    sessions,
    sign_in_failures,
    source_state,
    tier_memory,
    users,
    writers,
)
from rori_spiders.ledger.tables.pages import (
    HELD,
    change_assignments,
    change_reviews,
    changes,
    envelopes,
    page_aliases,
    page_links,
    page_validators,
    pages,
    versions,
)
from rori_spiders.ledger.tables.runs import list_exclusions, run_summaries, run_urls, runs

__all__ = [
    "HELD",
    "actions",
    "alert_channels",
    "alert_deliveries",
    "alerts",
    "api_tokens",
    "audit",
    "audit_chains",
    "change_assignments",
    "change_deliveries",
    "change_reviews",
    "change_subscriptions",
    "changes",
    "corpus_approvals",
    "corpus_overrides",
    "corpus_pages",
    "corpus_runs",
    "corpus_versions",
    "costs",
    "cursors",
    "envelopes",
    "fact_leaves",
    "field_lines",
    "field_records",
    "field_values",
    "head_destinations",
    "import_withdrawals",
    "imported_captures",
    "imported_changes",
    "imports",
    "job_groups",
    "jobs",
    "leases",
    "list_exclusions",
    "log_heads",
    "manifest_versions",
    "metadata",
    "page_aliases",
    "page_links",
    "page_validators",
    "pages",
    "permits",
    "robots_seen",
    "run_summaries",
    "run_urls",
    "runs",
    "sessions",
    "sign_in_failures",
    "source_state",
    "tier_memory",
    "unlogged_errors",
    "users",
    "versions",
    "writers",
]
