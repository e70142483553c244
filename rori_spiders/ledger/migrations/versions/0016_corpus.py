"""The corpus: runs, pages, overrides, approvals, versions."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    time = sa.String(27).with_variant(sa.DateTime(timezone=True), "postgresql")  # as 0001 has it
    op.create_table(
        "corpus_runs",
        sa.Column("run_id", sa.String(36), primary_key=True),
        sa.Column("domain", sa.String(253), nullable=False),
        sa.Column("kind", sa.String(10), nullable=False),
        sa.Column("state", sa.String(30), nullable=False),
        sa.Column("target", sa.JSON, nullable=False),
        sa.Column("base_version", sa.Integer),
        sa.Column("rules", sa.Text, nullable=False),
        sa.Column("model", sa.Text),
        sa.Column("triage_object", sa.String(64)),
        sa.Column("requested_by", sa.Text, nullable=False),
        sa.Column("started_at", time, nullable=False),
        sa.Column("moved_at", time, nullable=False),
        sa.Column("ended_at", time),
        sa.Column("stopped_in", sa.String(30)),
        sa.Column("says", sa.Text),
        sa.Column("worker", sa.Text),
        sa.Column("worker_until", time),
    )
    is_open = sa.text("ended_at IS NULL")
    op.create_index(
        "uq_corpus_runs_open", "corpus_runs", ["domain"], unique=True, sqlite_where=is_open, postgresql_where=is_open
    )
    op.create_index("ix_corpus_runs_domain", "corpus_runs", ["domain", "started_at"])
    op.create_table(
        "corpus_pages",
        sa.Column("run_id", sa.String(36), primary_key=True),
        sa.Column("page_id", sa.String(64), primary_key=True),
        sa.Column("url", sa.Text, nullable=False),
        sa.Column("source_id", sa.String(200)),
        sa.Column("found_by", sa.String(20), nullable=False),
        sa.Column("section", sa.Text, nullable=False),
        sa.Column("template", sa.Text, nullable=False),
        sa.Column("title", sa.Text),
        sa.Column("description", sa.Text),
        sa.Column("dated", sa.String(40)),
        sa.Column("met", sa.String(20)),
        sa.Column("met_reason", sa.Text),
        sa.Column("sampled", sa.Integer, nullable=False),
        sa.Column("decision", sa.String(20)),
        sa.Column("decided_by", sa.String(20)),
        sa.Column("rule", sa.Text),
        sa.Column("reason", sa.Text),
        sa.Column("confidence", sa.Float),
        sa.Column("evidence", sa.JSON),
        sa.Column("got", sa.String(20)),
        sa.Column("got_reason", sa.Text),
        sa.Column("got_at", time),
        sa.Column("raw_object", sa.String(64)),
        sa.Column("draft_object", sa.String(64)),
        sa.Column("removals_object", sa.String(64)),
        sa.Column("clean_object", sa.String(64)),
        sa.Column("cleaned_by", sa.String(20)),
        sa.Column("cleaning_object", sa.String(64)),
        sa.Column("doc_id", sa.String(200)),
        sa.Column("document_object", sa.String(64)),
        sa.Column("content_hash", sa.String(64)),
        sa.Column("flags", sa.JSON),
        sa.Column("findings", sa.JSON),
        sa.Column("gate", sa.String(20)),
        sa.Column("review", sa.String(20)),
        sa.Column("reviewed_by", sa.Text),
        sa.Column("reviewed_at", time),
        sa.Column("review_reason", sa.Text),
    )
    op.create_index("ix_corpus_pages_decision", "corpus_pages", ["run_id", "decision"])
    op.create_table(
        "corpus_overrides",
        sa.Column("domain", sa.String(253), primary_key=True),
        sa.Column("page_id", sa.String(64), primary_key=True),
        sa.Column("seq", sa.Integer, primary_key=True),
        sa.Column("url", sa.Text, nullable=False),
        sa.Column("decision", sa.String(20)),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("created_by", sa.Text, nullable=False),
        sa.Column("created_at", time, nullable=False),
    )
    op.create_table(
        "corpus_approvals",
        sa.Column("domain", sa.String(253), primary_key=True),
        sa.Column("page_id", sa.String(64), primary_key=True),
        sa.Column("raw_object", sa.String(64), primary_key=True),
        sa.Column("clean_object", sa.String(64), nullable=False),
        sa.Column("title", sa.Text),
        sa.Column("approved_by", sa.Text, nullable=False),
        sa.Column("approved_at", time, nullable=False),
        sa.Column("reason", sa.Text),
    )
    op.create_table(
        "corpus_versions",
        sa.Column("domain", sa.String(253), primary_key=True),
        sa.Column("version", sa.Integer, primary_key=True),
        sa.Column("run_id", sa.String(36)),
        sa.Column("rolled_back_to", sa.Integer),
        sa.Column("state", sa.String(20), nullable=False),
        sa.Column("prefix", sa.Text, nullable=False),
        sa.Column("contents_hash", sa.String(64)),
        sa.Column("manifest_hash", sa.String(64)),
        sa.Column("pages", sa.Integer),
        sa.Column("tombstones", sa.Integer),
        sa.Column("approved_by", sa.Text),
        sa.Column("approved_at", time),
        sa.Column("published_by", sa.Text, nullable=False),
        sa.Column("begun_at", time, nullable=False),
        sa.Column("published_at", time),
        sa.Column("loader_state", sa.String(20)),
        sa.Column("loader_execution", sa.Text),
        sa.Column("loader_says", sa.Text),
        sa.Column("loader_at", time),
    )
