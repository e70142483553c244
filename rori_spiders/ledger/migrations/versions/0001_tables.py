"""The tables of the collection, and the triggers that keep the audit append-only.

Written out, not imported: a migration must build the same tables for ever, whatever the program's tables become.
"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

_APPEND_ONLY = "the audit is append-only"


def _time(name: str, *, nullable: bool = False) -> "sa.Column[str]":
    """UTC: on SQLite ISO 8601 text of one width, so that it sorts."""
    return sa.Column(name, sa.String(27).with_variant(sa.DateTime(timezone=True), "postgresql"), nullable=nullable)


def upgrade() -> None:
    for build in (_runs, _pages, _versions, _proof, _leases, _alerts, _records):
        build()
    if op.get_bind().dialect.name == "postgresql":
        _protect_on_postgresql()
    else:
        _protect_on_sqlite()


def _protect_on_sqlite() -> None:
    # INSERT OR REPLACE deletes the old row without its DELETE trigger unless the connection asks for
    # recursive_triggers, and a stranger's does not: so a row that is there already is refused before.
    taken = "EXISTS (SELECT 1 FROM audit WHERE audit_id = NEW.audit_id OR (run_id = NEW.run_id AND seq = NEW.seq))"
    for name, event in (
        ("audit_refuses_update", "BEFORE UPDATE ON audit"),
        ("audit_refuses_delete", "BEFORE DELETE ON audit"),
        ("audit_refuses_replace", f"BEFORE INSERT ON audit WHEN {taken}"),
    ):
        op.execute(f"CREATE TRIGGER {name} {event} BEGIN SELECT RAISE(ABORT, '{_APPEND_ONLY}'); END")


def _protect_on_postgresql() -> None:
    op.execute(
        "CREATE FUNCTION audit_refuses() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN RAISE EXCEPTION '{_APPEND_ONLY}' USING ERRCODE = 'restrict_violation'; END $$"
    )
    for name, event in (
        ("audit_refuses_change", "BEFORE UPDATE OR DELETE ON audit FOR EACH ROW"),
        ("audit_refuses_truncate", "BEFORE TRUNCATE ON audit FOR EACH STATEMENT"),
    ):
        op.execute(f"CREATE TRIGGER {name} {event} EXECUTE FUNCTION audit_refuses()")


def _runs() -> None:
    op.create_table(
        "runs",
        sa.Column("run_id", sa.String(36), nullable=False),
        sa.Column("source_id", sa.String(200), nullable=False),
        sa.Column("manifest_version", sa.String(50), nullable=False),
        sa.Column("method", sa.String(20), nullable=False),
        sa.Column("state", sa.String(12), nullable=False),
        sa.Column("reason", sa.Text),
        sa.Column("operator", sa.String(10), nullable=False),
        sa.Column("job_id", sa.String(36), nullable=False),
        _time("started_at"),
        _time("resumed_at", nullable=True),
        _time("finished_at", nullable=True),
        sa.Column("counts", sa.JSON),
        sa.Column("requests", sa.Integer, server_default="0", nullable=False),
        sa.Column("browser_pages", sa.Integer, server_default="0", nullable=False),
        sa.Column("credits", sa.Integer, server_default="0", nullable=False),
        sa.CheckConstraint(
            "state IN ('running', 'complete', 'partial', 'incomplete', 'suspect', 'failed', 'cancelled')",
            name=op.f("ck_runs_state"),
        ),
        sa.PrimaryKeyConstraint("run_id", name="pk_runs"),
    )
    op.create_index("ix_runs_source_started", "runs", ["source_id", "started_at"])
    op.create_index(
        "uq_runs_open_source",
        "runs",
        ["source_id"],
        unique=True,
        sqlite_where=sa.text("state IN ('running', 'partial')"),
        postgresql_where=sa.text("state IN ('running', 'partial')"),
    )
    op.create_table(
        "run_urls",
        sa.Column("run_id", sa.String(36), nullable=False),
        sa.Column("url_hash", sa.String(64), nullable=False),
        sa.Column("url", sa.Text, nullable=False),
        sa.Column("state", sa.String(10), nullable=False),
        sa.Column("reason", sa.Text),
        sa.Column("depth", sa.Integer, nullable=False),
        sa.Column("found_on", sa.Text),
        sa.Column("found_by", sa.String(10), nullable=False),
        sa.Column("kind", sa.String(10), server_default="page", nullable=False),
        sa.Column("tier", sa.String(20)),
        sa.Column("verdict", sa.String(20)),
        sa.Column("attempts", sa.Integer, server_default="0", nullable=False),
        _time("settled_at", nullable=True),
        sa.CheckConstraint(
            "state IN ('pending', 'captured', 'unchanged', 'excluded', 'failed', 'gone')",
            name=op.f("ck_run_urls_state"),
        ),
        sa.ForeignKeyConstraint(["run_id"], ["runs.run_id"], name="fk_run_urls_run_id"),
        sa.PrimaryKeyConstraint("run_id", "url_hash", name="pk_run_urls"),
    )
    op.create_index("ix_run_urls_state", "run_urls", ["run_id", "state"])


def _pages() -> None:
    op.create_table(
        "pages",
        sa.Column("page_id", sa.Integer, nullable=False),
        sa.Column("source_id", sa.String(200), nullable=False),
        sa.Column("url", sa.Text, nullable=False),
        sa.Column("url_hash", sa.String(64), nullable=False),
        sa.Column("title", sa.Text),
        _time("first_seen_at"),
        _time("last_seen_at", nullable=True),
        _time("missing_since", nullable=True),
        _time("gone_at", nullable=True),
        sa.Column("last_seq", sa.Integer, server_default="0", nullable=False),
        sa.Column("content_hash", sa.String(64)),
        sa.Column("body_chars", sa.Integer),
        sa.PrimaryKeyConstraint("page_id", name="pk_pages"),
        sa.UniqueConstraint("source_id", "url_hash", name="uq_pages_source_id_url_hash"),
    )
    op.create_table(
        "page_aliases",
        sa.Column("page_id", sa.Integer, nullable=False),
        sa.Column("url_hash", sa.String(64), nullable=False),
        sa.Column("url", sa.Text, nullable=False),
        sa.Column("kind", sa.String(12), nullable=False),
        _time("seen_at"),
        sa.ForeignKeyConstraint(["page_id"], ["pages.page_id"], name="fk_page_aliases_page_id"),
        sa.PrimaryKeyConstraint("page_id", "url_hash", name="pk_page_aliases"),
    )
    op.create_table(
        "page_validators",
        sa.Column("page_id", sa.Integer, nullable=False),
        sa.Column("tier", sa.String(20), nullable=False),
        sa.Column("etag", sa.Text),
        sa.Column("last_modified", sa.Text),
        sa.Column("raw_hash", sa.String(64), nullable=False),
        _time("seen_at"),
        sa.ForeignKeyConstraint(["page_id"], ["pages.page_id"], name="fk_page_validators_page_id"),
        sa.PrimaryKeyConstraint("page_id", "tier", name="pk_page_validators"),
    )
    op.create_table(
        "page_links",
        sa.Column("page_id", sa.Integer, nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("url", sa.Text, nullable=False),
        sa.ForeignKeyConstraint(["page_id"], ["pages.page_id"], name="fk_page_links_page_id"),
        sa.PrimaryKeyConstraint("page_id", "position", name="pk_page_links"),
    )


def _versions() -> None:
    op.create_table(
        "versions",
        sa.Column("page_id", sa.Integer, nullable=False),
        sa.Column("seq", sa.Integer, nullable=False),
        sa.Column("run_id", sa.String(36), nullable=False),
        _time("captured_at"),
        sa.Column("change_type", sa.String(10), nullable=False),
        sa.Column("content_hash", sa.String(64), nullable=False),
        sa.Column("html_hash", sa.String(64)),
        sa.Column("raw_object", sa.String(64), nullable=False),
        sa.Column("body_object", sa.String(64), nullable=False),
        sa.Column("section_hashes", sa.JSON, nullable=False),
        sa.Column("converter_version", sa.String(20), nullable=False),
        sa.Column("tier", sa.String(20), nullable=False),
        sa.Column("title", sa.Text),
        sa.Column("published", sa.String(40)),
        sa.Column("effective", sa.String(40)),
        sa.Column("publisher_version", sa.Text),
        sa.ForeignKeyConstraint(["page_id"], ["pages.page_id"], name="fk_versions_page_id"),
        sa.ForeignKeyConstraint(["run_id"], ["runs.run_id"], name="fk_versions_run_id"),
        sa.PrimaryKeyConstraint("page_id", "seq", name="pk_versions"),
    )
    op.create_index("ix_versions_captured", "versions", ["page_id", "captured_at"])
    op.create_table(
        "envelopes",
        sa.Column("envelope_id", sa.String(36), nullable=False),
        sa.Column("run_id", sa.String(36), nullable=False),
        sa.Column("source_id", sa.String(200), nullable=False),
        sa.Column("url", sa.Text, nullable=False),
        sa.Column("url_hash", sa.String(64), nullable=False),
        sa.Column("state", sa.String(10), nullable=False),
        sa.Column("path", sa.Text, nullable=False),
        sa.Column("file_hash", sa.String(64), nullable=False),
        sa.Column("index_line", sa.Text, nullable=False),
        sa.Column("content_hash", sa.String(64), nullable=False),
        sa.Column("change_type", sa.String(10), nullable=False),
        _time("reserved_at"),
        _time("staged_at", nullable=True),
        _time("confirmed_at", nullable=True),
        _time("pruned_at", nullable=True),
        sa.Column("newest", sa.Boolean, server_default="1", nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["runs.run_id"], name="fk_envelopes_run_id"),
        sa.PrimaryKeyConstraint("envelope_id", name="pk_envelopes"),
        sa.UniqueConstraint("path", name="uq_envelopes_path"),
        sa.UniqueConstraint("run_id", "url_hash", name="uq_envelopes_run_id_url_hash"),
    )
    op.create_index("ix_envelopes_page", "envelopes", ["source_id", "url_hash"])
    op.create_index("ix_envelopes_state", "envelopes", ["state"])


def _proof() -> None:
    op.create_table(
        "audit",
        sa.Column("audit_id", sa.Integer, nullable=False),
        sa.Column("run_id", sa.String(36), nullable=False),
        sa.Column("seq", sa.Integer, nullable=False),
        sa.Column("prev_hash", sa.String(64), nullable=False),
        sa.Column("row_hash", sa.String(64), nullable=False),
        sa.Column("kind", sa.String(10), nullable=False),
        _time("timestamp"),
        sa.Column("manifest_id", sa.String(200), nullable=False),
        sa.Column("url", sa.Text, nullable=False),
        sa.Column("engine", sa.String(20), nullable=False),
        sa.Column("http_status", sa.Integer),
        sa.Column("content_hash", sa.String(64)),
        sa.Column("content_changed", sa.Boolean),
        sa.Column("response_time_ms", sa.Integer),
        sa.Column("credits_consumed", sa.Integer, nullable=False),
        sa.Column("retry_count", sa.Integer, nullable=False),
        sa.Column("error", sa.Text),
        sa.Column("staged_path", sa.Text),
        sa.Column("url_hash", sa.String(64), nullable=False),
        sa.Column("state", sa.String(10), nullable=False),
        sa.Column("reason", sa.Text),
        sa.Column("verdict", sa.String(20)),
        sa.Column("rules", sa.JSON),
        sa.Column("final_url", sa.Text),
        sa.Column("redirects", sa.JSON),
        sa.Column("ip_address", sa.String(45)),
        sa.Column("request_headers", sa.JSON),
        sa.Column("response_headers", sa.JSON),
        sa.Column("raw_hash", sa.String(64)),
        sa.Column("robots_object", sa.String(64)),
        sa.Column("attempts", sa.JSON),
        sa.Column("build", sa.String(60), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["runs.run_id"], name="fk_audit_run_id"),
        sa.PrimaryKeyConstraint("audit_id", name="pk_audit"),
        sa.UniqueConstraint("run_id", "seq", name="uq_audit_run_id_seq"),
    )
    op.create_index("ix_audit_source_time", "audit", ["manifest_id", "timestamp"])
    op.create_index("ix_audit_time", "audit", ["timestamp"])
    op.create_index("ix_audit_url_time", "audit", ["url_hash", "timestamp"])
    op.create_table(
        "robots_seen",
        sa.Column("run_id", sa.String(36), nullable=False),
        sa.Column("origin", sa.String(300), nullable=False),
        _time("fetched_at"),
        sa.Column("status", sa.Integer),
        sa.Column("outcome", sa.String(12), nullable=False),
        sa.Column("reason", sa.Text),
        sa.Column("object", sa.String(64)),
        sa.Column("crawl_delay_s", sa.Float),
        sa.ForeignKeyConstraint(["run_id"], ["runs.run_id"], name="fk_robots_seen_run_id"),
        sa.PrimaryKeyConstraint("run_id", "origin", name="pk_robots_seen"),
    )


def _leases() -> None:
    op.create_table(
        "leases",
        sa.Column("group", sa.String(255), nullable=False),
        sa.Column("owner", sa.String(200)),
        sa.Column("epoch", sa.Integer, nullable=False),
        _time("expires_at", nullable=True),
        _time("last_request_at", nullable=True),
        sa.Column("delay_s", sa.Float),
        _time("paused_until", nullable=True),
        sa.Column("permits", sa.Integer, server_default="3", nullable=False),
        sa.PrimaryKeyConstraint("group", name="pk_leases"),
    )
    op.create_table(
        "source_state",
        sa.Column("source_id", sa.String(200), nullable=False),
        sa.Column("paused_by", sa.String(20)),
        sa.Column("paused_reason", sa.Text),
        _time("paused_at", nullable=True),
        sa.Column("failures_in_row", sa.Integer, server_default="0", nullable=False),
        sa.Column("last_run_id", sa.String(36)),
        _time("last_checked_at", nullable=True),
        _time("last_changed_at", nullable=True),
        sa.Column("interval_factor", sa.Integer, server_default="1", nullable=False),
        sa.Column("good_runs_in_row", sa.Integer, server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("source_id", name="pk_source_state"),
    )


def _alerts() -> None:
    op.create_table(
        "alerts",
        sa.Column("alert_id", sa.Integer, nullable=False),
        sa.Column("source_id", sa.String(200), nullable=False),
        sa.Column("event", sa.String(40), nullable=False),
        sa.Column("cause", sa.String(200), nullable=False),
        sa.Column("severity", sa.String(10), nullable=False),
        sa.Column("message", sa.Text, nullable=False),
        sa.Column("pages", sa.JSON),
        _time("opened_at"),
        _time("cleared_at", nullable=True),
        sa.PrimaryKeyConstraint("alert_id", name="pk_alerts"),
    )
    op.create_index(
        "uq_alerts_open",
        "alerts",
        ["source_id", "event", "cause"],
        unique=True,
        sqlite_where=sa.text("cleared_at IS NULL"),
        postgresql_where=sa.text("cleared_at IS NULL"),
    )
    op.create_table(
        "alert_deliveries",
        sa.Column("alert_id", sa.Integer, nullable=False),
        sa.Column("channel", sa.String(40), nullable=False),
        _time("tried_at"),
        sa.Column("delivered", sa.Boolean, nullable=False),
        sa.Column("error", sa.Text),
        sa.ForeignKeyConstraint(["alert_id"], ["alerts.alert_id"], name="fk_alert_deliveries_alert_id"),
        sa.PrimaryKeyConstraint("alert_id", "channel", name="pk_alert_deliveries"),
    )
    op.create_table(
        "costs",
        sa.Column("cost_id", sa.Integer, nullable=False),
        sa.Column("provider", sa.String(40), nullable=False),
        sa.Column("run_id", sa.String(36)),
        sa.Column("url", sa.Text),
        sa.Column("unit", sa.String(20), nullable=False),
        sa.Column("reserved", sa.Float, nullable=False),
        sa.Column("settled", sa.Float),
        sa.Column("usd", sa.Float),
        _time("reserved_at"),
        _time("settled_at", nullable=True),
        sa.PrimaryKeyConstraint("cost_id", name="pk_costs"),
    )
    op.create_index("ix_costs_provider_time", "costs", ["provider", "reserved_at"])


def _records() -> None:
    op.create_table(
        "actions",
        sa.Column("action_id", sa.Integer, nullable=False),
        _time("at"),
        sa.Column("actor", sa.String(100), nullable=False),
        sa.Column("action", sa.String(40), nullable=False),
        sa.Column("target", sa.Text, nullable=False),
        sa.Column("reason", sa.Text),
        sa.Column("details", sa.JSON),
        sa.PrimaryKeyConstraint("action_id", name="pk_actions"),
    )
    op.create_table(
        "manifest_versions",
        sa.Column("manifest_version_id", sa.Integer, nullable=False),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("version", sa.String(50), nullable=False),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        _time("activated_at"),
        sa.Column("activated_by", sa.String(100), nullable=False),
        sa.Column("active", sa.Boolean, nullable=False),
        sa.PrimaryKeyConstraint("manifest_version_id", name="pk_manifest_versions"),
        sa.UniqueConstraint("name", "sha256", "activated_at", name="uq_manifest_versions_name_sha256_activated_at"),
    )
    op.create_index(
        "uq_manifest_versions_active",
        "manifest_versions",
        ["name"],
        unique=True,
        sqlite_where=sa.text("active = 1"),
        postgresql_where=sa.text("active"),
    )
